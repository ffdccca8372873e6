import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { createWorkQueue, type WorkQueue } from "./work-queue.ts"

/** A queue that records its work; `failing` gives the number of failures of a key. */
function record(failing: Readonly<Record<string, number>> = {}) {
  const clock = createManualClock()
  const left = new Map(Object.entries(failing))
  const done: string[] = []
  const errors: string[] = []
  const queue: WorkQueue = createWorkQueue({
    clock,
    retryMinMs: 100,
    retryMaxMs: 300,
    async work(key) {
      done.push(key)
      const times = left.get(key) ?? 0
      left.set(key, times - 1)
      if (times > 0) throw new Error("not yet")
    },
    onError: (_error, key) => errors.push(key),
  })
  return { queue, clock, done, errors, failNext: (key: string) => left.set(key, 1) }
}

test("keys are processed once each, in the order they were added", async () => {
  const { queue, done } = record()
  for (const key of ["a", "b", "a", "c"]) queue.add(key)
  await queue.idle()
  expect(done).toEqual(["a", "b", "c"])
})

test("a key added while it is processed is processed once more", async () => {
  const clock = createManualClock()
  const done: string[] = []
  const queue: WorkQueue = createWorkQueue({
    clock,
    async work(key) {
      done.push(key)
      if (done.length === 1) queue.add(key)
    },
    onError: () => {},
  })
  queue.add("a")
  await queue.idle()
  expect(done).toEqual(["a", "a"])
})

test("a failed key is retried with growing delays, up to a limit", async () => {
  const { queue, clock, done, errors } = record({ a: 4 })
  queue.add("a")
  await queue.idle()
  for (const waitMs of [100, 200, 300, 300]) {
    const before = done.length
    clock.advance(waitMs - 1)
    await queue.idle()
    expect(done).toHaveLength(before)
    clock.advance(1)
    await queue.idle()
    expect(done).toHaveLength(before + 1)
  }
  expect(errors).toHaveLength(4)
  clock.advance(60_000)
  await queue.idle()
  expect(done).toHaveLength(5)
})

test("a later failure of a key that succeeded is retried soon again", async () => {
  const { queue, clock, done, failNext } = record({ a: 2 })
  queue.add("a")
  await queue.idle()
  for (const waitMs of [100, 200]) {
    clock.advance(waitMs)
    await queue.idle()
  }
  expect(done).toHaveLength(3)
  failNext("a")
  queue.add("a")
  await queue.idle()
  clock.advance(100)
  await queue.idle()
  expect(done).toHaveLength(5)
})

test("adding a key again does not wait for its retry, and the retry does not run twice", async () => {
  const { queue, clock, done } = record({ a: 1 })
  queue.add("a")
  await queue.idle()
  queue.add("a")
  await queue.idle()
  clock.advance(60_000)
  await queue.idle()
  expect(done).toEqual(["a", "a"])
})

test("one failing key does not hold up the others", async () => {
  const { queue, done } = record({ a: 100 })
  for (const key of ["a", "b"]) queue.add(key)
  await queue.idle()
  expect(done).toEqual(["a", "b"])
})

test("after stop nothing starts, and running work has ended", async () => {
  const clock = createManualClock()
  const done: string[] = []
  let finish = (): void => {}
  const queue = createWorkQueue({
    clock,
    async work(key) {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      done.push(key)
    },
    onError: () => {},
  })
  queue.add("a")
  queue.add("b")
  await Promise.resolve()
  await Promise.resolve()
  const stopped = queue.stop()
  finish()
  await stopped
  queue.add("c")
  await queue.idle()
  expect(done).toEqual(["a"])
})

test("several keys are processed in parallel, each by itself, and idle waits for all", async () => {
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const begun: string[] = []
  const queue = createWorkQueue({
    clock: createManualClock(),
    workers: 2,
    onError: () => {},
    work: async (key) => {
      begun.push(key)
      expect(running).not.toContain(key)
      running.push(key)
      await new Promise<void>((resolve) => ends.set(key, resolve))
      running.splice(running.indexOf(key), 1)
    },
  })
  for (const key of ["a", "b", "c"]) queue.add(key)
  const turn = async (): Promise<void> => {
    for (let index = 0; index < 5; index++) await Promise.resolve()
  }
  await turn()
  queue.add("a")
  let idle = false
  const waiting = queue.idle().then(() => {
    idle = true
  })
  await turn()
  expect(begun).toEqual(["a", "b"])
  ends.get("b")?.()
  await turn()
  expect(begun).toEqual(["a", "b", "c"])
  ends.get("c")?.()
  await turn()
  expect([begun, idle]).toEqual([["a", "b", "c"], false])
  ends.get("a")?.()
  await turn()
  expect(begun).toEqual(["a", "b", "c", "a"])
  ends.get("a")?.()
  await waiting
})
