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
  const time = { nowMs: 0 }
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
    elapsedMs: () => time.nowMs,
  })
  function commit(name: string): Promise<unknown> {
    return committer.commit({ checks: [], writes: [] }).then(
      () => told.push(`answered ${name}`),
      () => told.push(`refused ${name}`),
    )
  }
  /** Resolves once the worker has been sent so many batches. */
  async function batches(count: number): Promise<void> {
    while (sent.length < count) await nextTurn()
  }
  return { committer, commit, batches, sent, told, time }
}

interface Reply {
  resolve(): void
  reject(error: Error): void
}

describe("group commit", () => {
  test("answers a batch before it sends the commits that came meanwhile", async () => {
    const { committer, commit, batches, sent, told } = openCommitter()
    const first = [commit("a"), commit("b")]
    await batches(1)
    const second = commit("c")
    await nextTurn()
    expect(told).toEqual(["sent 2"])
    sent[0]?.resolve()
    await Promise.all(first)
    await batches(2)
    expect(told).toEqual(["sent 2", "durable", "answered a", "answered b", "sent 1"])
    sent[1]?.resolve()
    await second
    await committer.idle()
    expect(told.slice(5)).toEqual(["durable", "answered c"])
  })

  test("gathers the commits of clients that send the next request when they are answered", async () => {
    const { committer, commit, batches, sent, told } = openCommitter()
    const first = commit("a")
    await batches(1)
    const second = commit("b")
    const third = first.then(async () => {
      await nextTurn()
      return commit("c")
    })
    sent[0]?.resolve()
    await batches(2)
    expect(told).toEqual(["sent 1", "durable", "answered a", "sent 2"])
    sent[1]?.resolve()
    await Promise.all([second, third])
    await committer.idle()
  })

  test.each([
    { limit: "a few turns", msPerTurn: 0, gathered: 5 },
    { limit: "some milliseconds", msPerTurn: 3, gathered: 3 },
  ])("sends a batch after $limit although each turn brings another commit", async ({ msPerTurn, gathered }) => {
    const { committer, commit, sent, told, time } = openCommitter()
    const commits: Promise<unknown>[] = []
    while (sent.length === 0) {
      commits.push(commit("another"))
      time.nowMs += msPerTurn
      await nextTurn()
    }
    expect(told).toEqual([`sent ${gathered}`])
    sent[0]?.resolve()
    await Promise.all(commits)
    await committer.idle()
  })

  test("reports and rejects a failed batch before it sends the next one", async () => {
    const { committer, commit, batches, sent, told } = openCommitter()
    const first = commit("a")
    await batches(1)
    const second = commit("b")
    sent[0]?.reject(new StoreError("unavailable", "the disk is gone"))
    await first
    await batches(2)
    expect(told).toEqual(["sent 1", "unavailable", "refused a", "sent 1"])
    sent[1]?.resolve()
    await second
    await committer.idle()
    expect(committer.busySinceMs()).toBeUndefined()
  })
})
