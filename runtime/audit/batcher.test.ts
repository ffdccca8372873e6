import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { Batcher, type BatcherOptions } from "./batcher.ts"
import type { AuditEvent } from "./event.ts"
import { auditWaitingBytesMax } from "./limits.ts"

function eventOf(head: string, requestObject?: Buffer): AuditEvent {
  const facts = { auditId: "", verb: "", uri: "", address: "", agent: "", namespace: "", receivedMs: 0 }
  return { level: "Metadata", stage: "ResponseComplete", mayWait: true, facts, head, requestObject, times: "", annotations: undefined }
}

function setUp(more: Partial<BatcherOptions> = {}) {
  const clock = createManualClock()
  const batches: string[] = []
  let dropped = 0
  const batcher = new Batcher({
    clock,
    bufferSize: 100,
    maxBatchSize: 3,
    maxBatchWaitMs: 1000,
    atOnce: 1,
    store: (batch) => void batches.push(batch.map(({ head }) => head).join("")),
    dropped: (events) => {
      dropped += events
    },
    ...more,
  })
  const add = (heads: string): void => {
    for (const head of heads) batcher.add(eventOf(head))
  }
  return { add, batcher, batches, clock, dropped: () => dropped }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it("a full batch is stored in the next turn, and what is left when its time has come", async () => {
  const { add, batches, clock } = setUp()
  add("abcd")
  expect(batches).toEqual([])
  await turn()
  expect(batches).toEqual(["abc"])
  clock.advance(999)
  expect(batches).toEqual(["abc"])
  clock.advance(1)
  expect(batches).toEqual(["abc", "d"])
  add("e")
  clock.advance(999)
  add("f")
  clock.advance(1)
  expect(batches).toEqual(["abc", "d", "ef"])
})

it("without a time to wait, events are stored in the next turn", async () => {
  const { add, batches } = setUp({ maxBatchWaitMs: 0 })
  add("ab")
  await turn()
  expect(batches).toEqual(["ab"])
})

it("more events or bytes than may wait are dropped, the newest first", async () => {
  const { add, batches, batcher, dropped } = setUp({ bufferSize: 4, maxBatchSize: 4 })
  add("abcdef")
  await turn()
  expect([batches, dropped()]).toEqual([["abcd"], 2])
  batcher.add(eventOf("g", Buffer.alloc(auditWaitingBytesMax - 1)))
  batcher.add(eventOf("h"))
  await batcher.stop()
  expect([batches, dropped()]).toEqual([["abcd", "g"], 3])
})

it("batches begin as often as the throttle allows", async () => {
  const { add, batches, clock } = setUp({ maxBatchSize: 1, throttle: { qps: 2, burst: 2 } })
  add("abcde")
  await turn()
  expect(batches).toEqual(["a", "b"])
  clock.advance(499)
  expect(batches).toEqual(["a", "b"])
  clock.advance(1)
  expect(batches).toEqual(["a", "b", "c"])
  clock.advance(10_000)
  expect(batches).toEqual(["a", "b", "c", "d", "e"])
})

it("no more batches are stored at a time than may be, and the others keep their order", async () => {
  const done: (() => void)[] = []
  const begun: string[] = []
  const { add, batcher } = setUp({
    maxBatchSize: 1,
    atOnce: 2,
    store: (batch) => {
      begun.push(batch.map(({ head }) => head).join(""))
      return new Promise((resolve) => done.push(resolve))
    },
  })
  add("abcd")
  await turn()
  expect(begun).toEqual(["a", "b"])
  done.shift()?.()
  await turn()
  expect(begun).toEqual(["a", "b", "c"])
  const stopped = batcher.stop()
  let isStopped = false
  void stopped.then(() => {
    isStopped = true
  })
  for (; done.length > 0; await turn()) {
    expect(isStopped).toBe(false)
    done.shift()?.()
  }
  await stopped
  expect(begun).toEqual(["a", "b", "c", "d"])
})

it("all events that waited longer than they may are stored, in several batches and after the one that is being stored", async () => {
  const done: (() => void)[] = []
  const begun: string[] = []
  const { add, batcher, clock } = setUp({
    store: (batch) => {
      begun.push(batch.map(({ head }) => head).join(""))
      return new Promise((resolve) => done.push(resolve))
    },
  })
  const end = async (): Promise<void> => {
    done.shift()?.()
    await turn()
  }
  add("abcdefgh")
  await turn()
  clock.advance(1000)
  expect(begun).toEqual(["abc"])
  await end()
  expect(begun).toEqual(["abc", "def"])
  await end()
  expect(begun).toEqual(["abc", "def", "gh"])
  // Later events wait for their own time.
  await end()
  add("i")
  await turn()
  clock.advance(999)
  expect([begun.length, batcher.left]).toEqual([3, 1])
  clock.advance(1)
  expect(begun).toEqual(["abc", "def", "gh", "i"])
  await end()
})

it("a stop waits neither for time nor for the throttle, and nothing is taken after it", async () => {
  const { add, batcher, batches, dropped } = setUp({ maxBatchWaitMs: 3_600_000, throttle: { qps: 1, burst: 1 } })
  add("abcdefgh")
  await batcher.stop()
  expect(batches).toEqual(["abc", "def", "gh"])
  add("i")
  expect([batches.length, dropped()]).toEqual([3, 1])
})
