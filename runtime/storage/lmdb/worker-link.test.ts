import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { expect, onTestFinished, test } from "vitest"
import { codeOf, put } from "../../../test/contract/store-fixture.ts"
import { ByteWriter, writeCommit } from "./batch.ts"
import { startWorker } from "./worker-link.ts"

function batch(): { type: "commit"; batch: ArrayBuffer; length: number } {
  const writer = new ByteWriter(64)
  writer.u32(1)
  writeCommit(writer, { checks: [], writes: [put("foo/a", "1")] }, () => 0)
  return { type: "commit", batch: writer.bytes.buffer, length: writer.length }
}

test("a commit in progress when the thread dies is undecided; what it was not asked yet is unavailable", async () => {
  const dies = 'require("worker_threads").parentPort.on("message", ({ type }) => type === "sweep" && process.exit())'
  let lost: unknown
  const worker = await startWorker(
    (error) => {
      lost = error
    },
    async () => new Worker(dies, { eval: true }),
  )
  const [commit, sweep] = [codeOf(worker.request(batch())), codeOf(worker.request({ type: "sweep" }))]
  expect([await commit, await sweep, await codeOf(worker.request(batch()))]).toEqual(["undecided", "unavailable", "unavailable"])
  expect(lost).toMatchObject({ code: "unavailable" })
  await worker.stop()
})

test("a thread that is stopped finishes its commit first", async () => {
  const dir = mkdtempSync(join(tmpdir(), "worker-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const worker = await startWorker(() => undefined)
  await worker.request({ type: "open", dir })
  const commit = worker.request(batch())
  await worker.stop()
  expect(await commit).toMatchObject({ type: "committed" })
  expect(await codeOf(worker.request(batch()))).toBe("unavailable")
})

test("a thread that has opened nothing ends as well", async () => {
  const worker = await startWorker(() => undefined)
  await worker.stop()
  expect(await codeOf(worker.request({ type: "sweep" }))).toBe("unavailable")
})

test("a thread that is to end keeps the process alive until it has ended", async () => {
  const answers =
    'const { parentPort } = require("worker_threads"); parentPort.once("message", () => parentPort.postMessage({ type: "done" }))'
  const thread = new Worker(answers, { eval: true })
  const calls: string[] = []
  thread.ref = () => void calls.push("ref")
  thread.unref = () => void calls.push("unref")
  const worker = await startWorker(
    () => undefined,
    async () => thread,
  )
  await worker.stop()
  expect(calls).toEqual(["ref"])
})
