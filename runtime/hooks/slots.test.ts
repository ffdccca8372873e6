import { expect, test } from "vitest"
import { Slots } from "./slots.ts"

/** Slots, and callers by name. */
function setUp(limit: number) {
  const slots = new Slots(limit)
  const running: string[] = []
  const given: string[] = []
  const callers = new Map<string, AbortController>()
  const take = async (name: string): Promise<void> => {
    const caller = new AbortController()
    callers.set(name, caller)
    try {
      await slots.take(caller.signal)
      running.push(name)
    } catch {
      given.push(name)
    }
  }
  return { slots, running, given, take, abandon: (name: string) => callers.get(name)?.abort(new Error("the client has gone")) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("as many calls run as may, and the others in their order", async () => {
  const { slots, running, take } = setUp(2)
  for (const name of ["a", "b", "c", "d", "e"]) void take(name)
  await turn()
  expect(running).toEqual(["a", "b"])
  slots.release()
  await turn()
  expect(running).toEqual(["a", "b", "c"])
  for (let left = 0; left < 4; left++) slots.release()
  await turn()
  expect(running).toEqual(["a", "b", "c", "d", "e"])
  for (const name of ["f", "g", "h"]) void take(name)
  await turn()
  expect(running.slice(5)).toEqual(["f", "g"])
})

test("a caller that has given up takes no slot, wherever it waited", async () => {
  const { slots, running, given, take, abandon } = setUp(1)
  for (const name of ["a", "b", "c", "d", "e"]) void take(name)
  await turn()
  for (const name of ["b", "d"]) abandon(name)
  await turn()
  expect([running, given]).toEqual([["a"], ["b", "d"]])
  for (const expected of [
    ["a", "c"],
    ["a", "c", "e"],
  ]) {
    slots.release()
    await turn()
    expect(running).toEqual(expected)
  }
  // The slot of the last one is free again.
  slots.release()
  void take("f")
  await turn()
  expect(running.at(-1)).toBe("f")
  abandon("c")
  slots.release()
  void take("g")
  await turn()
  expect(running.at(-1)).toBe("g")
})

test("a caller that gave up before does not wait", () => {
  const slots = new Slots(1)
  expect(() => slots.take(AbortSignal.abort(new Error("gone")))).toThrow("gone")
  expect(slots.take(new AbortController().signal)).toBeUndefined()
})
