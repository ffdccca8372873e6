import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { StoreError } from "../store.ts"
import { ByteWriter, outcome } from "./batch.ts"
import { createCommitter } from "./committer.ts"

/** What the worker answers to a batch of single commits without writes. */
function resultsOf(commits: number): ArrayBuffer {
  const bytes = new ByteWriter(16 * commits)
  for (let commit = 1; commit <= commits; commit++) {
    bytes.u32(outcome.done)
    bytes.f64(commit)
  }
  return bytes.bytes.buffer
}

/** A committer whose worker answers when the test says so; `told` is everything that happened, in order. */
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
    nowMs: () => 0,
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
  test("what waits goes to the worker before the batch that is done is answered", async () => {
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

  test("a batch that failed is told of, and refused, before the next goes to the worker", async () => {
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
