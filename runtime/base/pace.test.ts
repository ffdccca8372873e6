import { expect, test } from "vitest"
import { largeObjectBytes } from "./limits.ts"
import { Pace } from "./pace.ts"
import type { Stages } from "./turns.ts"

function* counted(): Stages<string> {
  yield
  yield
  return "done"
}

test("small work waits for nothing, and its stages run at once", () => {
  const pace = new Pace(largeObjectBytes - 1)
  expect([pace.isSlow, pace.turn(), pace.run(counted())]).toEqual([false, undefined, "done"])
})

test("large work goes on in later turns", async () => {
  const pace = new Pace(largeObjectBytes)
  let turns = 0
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  let isOver = false
  setImmediate(count)
  await pace.turn()
  expect(turns).toBeGreaterThan(0)
  const before = turns
  expect(await pace.run(counted())).toBe("done")
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(before + 2)
})

test("the pace of a larger object is another one, and the request's own grows with its body", () => {
  const request = new Pace()
  request.bytes += 10
  expect(request.atLeast(10)).toBe(request)
  expect([request.atLeast(11).bytes, request.bytes]).toEqual([11, 10])
})
