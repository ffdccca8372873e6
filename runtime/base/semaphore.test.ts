import { expect, test } from "vitest"
import type { DeadlineSignal } from "./deadline-signal.ts"
import { Semaphore } from "./semaphore.ts"

/** A semaphore, and callers by name. */
function setUp(limit: number) {
  const semaphore = new Semaphore(limit)
  const running: string[] = []
  const given: string[] = []
  const callers = new Map<string, AbortController>()
  const take = async (name: string): Promise<void> => {
    const caller = new AbortController()
    callers.set(name, caller)
    try {
      await semaphore.take(caller.signal)
      running.push(name)
    } catch {
      given.push(name)
    }
  }
  return { semaphore, running, given, take, abandon: (name: string) => callers.get(name)?.abort(new Error("the client has gone")) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("as many calls run as may, and the others in their order", async () => {
  const { semaphore, running, take } = setUp(2)
  for (const name of ["a", "b", "c", "d", "e"]) void take(name)
  await turn()
  expect(running).toEqual(["a", "b"])
  semaphore.release()
  await turn()
  expect(running).toEqual(["a", "b", "c"])
  for (let left = 0; left < 4; left++) semaphore.release()
  await turn()
  expect(running).toEqual(["a", "b", "c", "d", "e"])
  for (const name of ["f", "g", "h"]) void take(name)
  await turn()
  expect(running.slice(5)).toEqual(["f", "g"])
})

test("a caller that has given up holds nothing, wherever it waited", async () => {
  const { semaphore, running, given, take, abandon } = setUp(1)
  for (const name of ["a", "b", "c", "d", "e"]) void take(name)
  await turn()
  for (const name of ["b", "d"]) abandon(name)
  await turn()
  expect([running, given]).toEqual([["a"], ["b", "d"]])
  for (const expected of [
    ["a", "c"],
    ["a", "c", "e"],
  ]) {
    semaphore.release()
    await turn()
    expect(running).toEqual(expected)
  }
  // The place of the last holder is free again.
  semaphore.release()
  void take("f")
  await turn()
  expect(running.at(-1)).toBe("f")
  abandon("c")
  semaphore.release()
  void take("g")
  await turn()
  expect(running.at(-1)).toBe("g")
})

test("a caller that gave up before does not wait", () => {
  const semaphore = new Semaphore(1)
  expect(() => semaphore.take(AbortSignal.abort(new Error("gone")))).toThrow("gone")
  expect(semaphore.take(new AbortController().signal)).toBeUndefined()
})

test("keeps no reference to a caller that holds it", async () => {
  const semaphore = new Semaphore(1)
  const listeners = new Set<() => void>()
  const signal: DeadlineSignal = {
    aborted: false,
    reason: undefined,
    addEventListener: (_type, listener) => listeners.add(listener),
    removeEventListener: (_type, listener) => listeners.delete(listener),
  }
  await semaphore.take(signal)
  const second = semaphore.take(signal)
  expect(listeners.size).toBe(1)
  semaphore.release()
  await second
  expect(listeners.size).toBe(0)
  semaphore.release()
  expect(semaphore.held).toBe(0)
})
