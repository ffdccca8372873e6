import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { StoreError } from "../store.ts"
import { ByteWriter, outcome } from "./batch.ts"
import { createCommitter } from "./committer.ts"

/** The worker's reply to a batch of commits without writes. */
function resultsOf(commits: number): ArrayBuffer {
  const bytes = new ByteWriter(16 * commits)
  for (let commit = 1; commit <= commits; commit++) {
    bytes.u32(outcome.done)
    bytes.f64(commit)
  }
  return bytes.bytes.buffer
}

/** A committer whose worker replies on command. Records batches, durable commits and failures in order. */
function openCommitter() {
  const told: string[] = []
  const sent: Reply[] = []
  const committer = createCommitter({
    send(batch) {
      const commits = Buffer.from(batch).readUInt32LE(0)
      told.push(`sent ${commits}`)
      return new Promise((resolve, reject) =>
        sent.push({ resolve: () => resolve({ results: resultsOf(commits), revision: commits }), reject }),
      )
    },
    onDurable: () => told.push("durable"),
    onFailure: ({ code }) => told.push(code),
    expiresAtMs: (ttlSeconds) => ttlSeconds * 1000,
    elapsedMs: () => 0,
  })
  function commit(name: string): Promise<unknown> {
    return committer.commit({ checks: [], writes: [] }).then(
      () => told.push(`answered ${name}`),
      () => told.push(`refused ${name}`),
    )
  }
  return { committer, commit, sent, told }
}

interface Reply {
  resolve(): void
  reject(error: Error): void
}

describe("group commit", () => {
  test("sends waiting commits to the worker before it answers those of the finished batch", async () => {
    const { committer, commit, sent, told } = openCommitter()
    const first = [commit("a"), commit("b")]
    await nextTurn()
    const second = commit("c")
    await nextTurn()
    expect(told).toEqual(["sent 2"])
    sent[0]?.resolve()
    await Promise.all(first)
    expect(told).toEqual(["sent 2", "sent 1", "durable", "answered a", "answered b"])
    sent[1]?.resolve()
    await second
    await committer.idle()
    expect(told.slice(5)).toEqual(["durable", "answered c"])
  })

  test("reports and rejects a failed batch before it sends the next one", async () => {
    const { committer, commit, sent, told } = openCommitter()
    const first = commit("a")
    await nextTurn()
    const second = commit("b")
    sent[0]?.reject(new StoreError("unavailable", "the disk is gone"))
    await first
    await nextTurn()
    expect(told).toEqual(["sent 1", "unavailable", "refused a", "sent 1"])
    sent[1]?.resolve()
    await second
    await committer.idle()
    expect(committer.busySinceMs()).toBeUndefined()
  })
})
