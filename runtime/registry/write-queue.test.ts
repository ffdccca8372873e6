import { beforeEach, expect, it } from "vitest"
import { createManualClock, type ManualClock } from "../../test/contract/manual-clock.ts"
import { waitingWriteBytesMax, waitingWritesMax, writeTurnMs } from "../base/write-limits.ts"
import { WriteQueues } from "./write-queue.ts"

let clock: ManualClock
let queues: WriteQueues
let begun: string[]

beforeEach(() => {
  clock = createManualClock()
  queues = new WriteQueues(clock)
  begun = []
})

/** Joins the queue of the key, and notes when its turn begins. */
function enter(
  name: string,
  { key = "k", bytes = 0, expiry }: { key?: string; bytes?: number; expiry?: AbortSignal } = {},
): Promise<() => void> {
  return queues.enter(key, { bytes, expiry }).then((leave) => {
    begun.push(name)
    return leave
  })
}

/** Waits until handlers of all settled promises have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it("gives turns in the order of arrival, and forgets a key that nobody waits for", async () => {
  const leaves = ["a", "b", "c"].map((name) => enter(name))
  const other = enter("other", { key: "other" })
  await settled()
  expect(begun).toEqual(["a", "other"])
  for (const leave of leaves) (await leave)()
  expect(begun).toEqual(["a", "other", "b", "c"])
  expect(queues.isContended("k")).toBe(false)
  expect(queues.isContended("other")).toBe(true)
  ;(await other)()
  expect(queues.isContended("other")).toBe(false)
  expect(clock.nextDueMs()).toBeUndefined()
})

it("passes a turn over that lasts too long; its end then ends no other", async () => {
  const first = await enter("a")
  const second = enter("b")
  enter("c").catch(() => {})
  clock.advance(writeTurnMs - 1)
  await settled()
  expect(begun).toEqual(["a"])
  clock.advance(1)
  await settled()
  expect(begun).toEqual(["a", "b"])
  first()
  await settled()
  expect(begun).toEqual(["a", "b"])
  ;(await second)()
  await settled()
  expect(begun).toEqual(["a", "b", "c"])
})

it("takes a writer out at its deadline", async () => {
  const leave = await enter("a")
  const deadline = new AbortController()
  const late = enter("late", { expiry: deadline.signal })
  const next = enter("next")
  deadline.abort(new Error("too late"))
  await expect(late).rejects.toThrow("too late")
  leave()
  ;(await next)()
  expect(begun).toEqual(["a", "next"])
  expect(queues.isContended("k")).toBe(false)
})

it("refuses more writers, and more of their bytes, than its limits", async () => {
  const leave = await enter("a")
  const large = enter("large", { bytes: waitingWriteBytesMax })
  await expect(enter("small", { bytes: 1 })).rejects.toMatchObject({ code: 429 })
  leave()
  ;(await large)()
  const first = await enter("first")
  const waiting = Array.from({ length: waitingWritesMax }, (_, index) => enter(String(index)))
  await expect(enter("more")).rejects.toMatchObject({ code: 429 })
  // The first of another key waits for no other.
  ;(await enter("other", { key: "other" }))()
  first()
  for (const each of waiting) (await each)()
  ;(await enter("more"))()
})
