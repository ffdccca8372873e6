/** EIO at a flush, seen by clients: writes are refused with a Status that says why, reads go on, `/readyz` says so, and a sound disk heals it. */
import { expect, it } from "vitest"
import { simToken } from "./world/server.ts"
import { turns, turnsUntil } from "./world/turns.ts"
import { createWorld, type World } from "./world/world.ts"

it("stops writes, says so, and takes them again once the disk can flush", async () => {
  const world = await createWorld({ seed: 1, driver: "lmdb" })
  const { disk, servers } = world
  if (disk === undefined) throw new Error("an embedded store has a disk")
  servers[0]?.start()
  expect(await turnsUntil(() => servers[0]?.running !== undefined, 2000)).toBe(true)
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "one" } })).toMatchObject({ status: 201 })
  disk.faults.failFlush = "commit"
  const refused = { status: 503, body: expect.stringContaining("Input/output error") }
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "two" } })).toMatchObject(refused)
  const flushes = disk.durable()
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "three" } })).toMatchObject(refused)
  expect(disk.durable()).toBe(flushes)
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 500, body: expect.stringContaining("etcd failed") })
  expect(await ask(world, "GET", "/api/v1/namespaces/one")).toMatchObject({ status: 200 })
  expect(await ask(world, "GET", "/api/v1/namespaces/two")).toMatchObject({ status: 404 })
  // The next attempt fails as well: it is not believed.
  disk.faults.failFlush = "data"
  world.clock.advance(1000)
  await turns(100)
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 500 })
  world.clock.advance(1000)
  await turns(100)
  // What was found when the store was opened again counts, now that it is on the disk for sure.
  expect(await ask(world, "GET", "/api/v1/namespaces/two")).toMatchObject({ status: 200 })
  expect(await ask(world, "POST", "/api/v1/namespaces", { metadata: { name: "three" } })).toMatchObject({ status: 201 })
  expect(await ask(world, "GET", "/readyz")).toMatchObject({ status: 200 })
  servers[0]?.kill()
})

async function ask(world: World, method: string, path: string, body?: unknown): Promise<{ status: number | undefined; body: string }> {
  const wire = world.servers[0]?.wire
  if (wire === undefined) throw new Error("the server does not listen")
  const type = body === undefined ? {} : { "content-type": "application/json" }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await wire.request({ method, path, headers: { authorization: `Bearer ${simToken}`, ...type }, ...text })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, body: Buffer.concat(chunks).toString() }
}
