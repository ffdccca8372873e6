/**
 * EIO at a flush, as clients see it: the writes of the flush are undecided, others are refused with a Status that gives
 * the reason, reads go on, `/readyz` reports it, and the store recovers with the disk.
 */
import { expect, it } from "vitest"
import { simToken } from "./world/server.ts"
import { turns, turnsUntil } from "./world/turns.ts"
import { createWorld, type World } from "./world/world.ts"

it("stops writes and reports why, and accepts them again once the disk can flush", async () => {
  const world = await createWorld({ seed: 1, driver: "lmdb" })
  const { disk, servers } = world
  if (disk === undefined) throw new Error("an embedded store has a disk")
  servers[0]?.start()
  expect(await turnsUntil(() => servers[0]?.running !== undefined, 2000)).toBe(true)
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "one" } })).toMatchObject({ status: 201 })
  disk.faults.failFlush = "commit"
  const body = expect.stringContaining("Input/output error")
  const refused = { status: 503, body, retryAfter: "1" }
  const asked = ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "two" } })
  // The first write waits while the worker writes the other one, and reaches the worker after that one has failed.
  expect(await turnsUntil(() => disk.faults.failFlush === undefined, 2000)).toBe(true)
  const waiting = ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "waiting" } })
  const answer = await asked
  expect(answer).toMatchObject({ status: 504, body, retryAfter: undefined })
  expect(JSON.parse(answer.body)).toMatchObject({
    reason: "Timeout",
    message: expect.stringContaining("may or may not have happened"),
    details: {},
  })
  expect(await waiting).toMatchObject(refused)
  const flushes = disk.durable()
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "three" } })).toMatchObject(refused)
  expect(disk.durable()).toBe(flushes)
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 500, body: expect.stringContaining("etcd failed") })
  expect(await ask(world, "GET", "/api/v1/namespaces/one")).toMatchObject({ status: 200 })
  expect(await ask(world, "GET", "/api/v1/namespaces/two")).toMatchObject({ status: 404 })
  // The next attempt fails as well, so its data does not count.
  disk.faults.failFlush = "data"
  world.clock.advance(1000)
  await turns(100)
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 500 })
  world.clock.advance(1000)
  await turns(100)
  // The data found at the reopening counts now that it is certainly on disk.
  expect(await ask(world, "GET", "/api/v1/namespaces/two")).toMatchObject({ status: 200 })
  for (const name of ["waiting", "three"]) expect(await ask(world, "GET", `/api/v1/namespaces/${name}`)).toMatchObject({ status: 404 })
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "three" } })).toMatchObject({ status: 201 })
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 200 })
  servers[0]?.kill()
})

interface Told {
  readonly status: number | undefined
  readonly retryAfter: string | undefined
  readonly body: string
}

async function ask(world: World, method: string, path: string, body?: unknown): Promise<Told> {
  const wire = world.servers[0]?.wire
  if (wire === undefined) throw new Error("the server does not listen")
  const type = body === undefined ? {} : { "content-type": "application/json" }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await wire.request({ method, path, headers: { authorization: `Bearer ${simToken}`, ...type }, ...text })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, retryAfter: response.headers["retry-after"], body: Buffer.concat(chunks).toString() }
}
