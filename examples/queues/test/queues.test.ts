import assert from "node:assert/strict"
import { after, before, test } from "node:test"
import { startServer } from "orch-apiserver"
import { countItems } from "../controller.ts"
import * as own from "../generated/index.ts"

const server = await startServer({ api: [own] })
const { queues, items } = server.api.queue.v1
const stop = new AbortController()
let controller: Promise<void> | undefined

before(() => {
  controller = countItems(server.client, stop.signal)
})
after(async () => {
  stop.abort()
  await controller
  await server.stop()
})

/** Resolves when the controller has written this status. */
async function reaches(name: string, length: number, state: "Open" | "Full"): Promise<void> {
  for await (const { object } of queues.watch("default", { fieldSelector: `metadata.name=${name}` }))
    if (object.status.length === length && object.status.state === state) return
}

test("the controller counts items", async () => {
  await queues.create("default", { metadata: { name: "mail" }, spec: { capacity: 2 } })
  await reaches("mail", 0, "Open")
  for (const name of ["a", "b"]) await items.create("default", { metadata: { name }, spec: { queue: "mail" } })
  await reaches("mail", 2, "Full")
  await items.delete("default", "a")
  await reaches("mail", 1, "Open")
})

test("the controller removes items that a queue does not accept", async () => {
  await items.create("default", { metadata: { name: "wrong" }, spec: { queue: "strict" } })
  await queues.create("default", { metadata: { name: "strict" }, spec: { capacity: 1, accepts: "^right" } })
  await reaches("strict", 0, "Open")
})

test("a pattern is a regular expression", async () => {
  await assert.rejects(
    queues.create("default", { metadata: { name: "broken" }, spec: { capacity: 1, accepts: "(" } }),
    /spec\.accepts: Invalid value: "\(": Invalid regular expression/,
  )
})

test("v1beta1 calls the capacity size", async () => {
  const older = server.api.queue.v1beta1.queues
  await older.create("default", { metadata: { name: "old" }, spec: { size: 7 } })
  assert.equal((await queues.get("default", "old")).spec.capacity, 7)
  await queues.patch("default", "old", { spec: { accepts: "x" } })
  await older.patch("default", "old", { spec: { size: 8 } })
  assert.deepEqual((await queues.get("default", "old")).spec, { capacity: 8, accepts: "x" })
})
