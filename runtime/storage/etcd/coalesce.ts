/**
 * Coalesces concurrent reads of the latest revision into one etcd call. Consistent reads need it thousands of times per
 * second.
 */
import { setImmediate as nextTurn } from "node:timers/promises"

/**
 * Turns of the event loop that a call waits for others to join. A call costs etcd and this server five times as much as
 * a read from the cache; with 16 concurrent readers, twice as many share one call as without waiting.
 */
const coalesceTurnsMax = 4

/**
 * Called once per store, with the function that asks etcd. The returned function resolves with a revision that was read
 * after it was called: a call in flight may have been answered before, so later readers share the next one. That call
 * is sent when a turn of the event loop brought no new reader, and at least half as many have joined as shared the last
 * call. A single reader waits for one turn, in which the loop has nothing else to do.
 */
export function coalesce(ask: () => Promise<number>): () => Promise<number> {
  /** Settled when no call is in flight; never rejects. */
  let underWay: Promise<unknown> = Promise.resolve()
  /** The call that was not sent yet. */
  let next: Promise<number> | undefined
  let callers = 0
  let callersBefore = 0

  async function waitForOthers(): Promise<void> {
    for (let turn = 0; turn < coalesceTurnsMax; turn++) {
      const known = callers
      await nextTurn()
      if (callers === known && callers * 2 >= callersBefore) return
    }
  }

  async function send(): Promise<number> {
    await underWay
    await waitForOthers()
    next = undefined
    callersBefore = callers
    callers = 0
    const asked = ask()
    underWay = asked.catch(() => undefined)
    return asked
  }

  return () => {
    callers++
    next ??= send()
    return next
  }
}
