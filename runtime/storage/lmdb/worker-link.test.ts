import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

test("a commit in progress when the worker ends is undecided; a later one is refused", async () => {
  const dir = mkdtempSync(join(tmpdir(), "worker-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const worker = await startWorker({ dir }, () => undefined)
  const [commit, sweep] = [codeOf(worker.request(batch())), codeOf(worker.request({ type: "sweep" }))]
  await worker.stop()
  expect([await commit, await sweep, await codeOf(worker.request(batch()))]).toEqual(["undecided", "unavailable", "unavailable"])
})
