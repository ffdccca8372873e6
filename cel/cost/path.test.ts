import { expect, it } from "vitest"
import { Path } from "./path.ts"

function pathOf(...steps: readonly string[]): Path {
  return steps.reduce((path, step) => path.append(step), Path.none)
}

it("keeps paths apart while their memory is full", () => {
  const one = pathOf("self", "a", "b", "c")
  const [n, m] = [one.append("n"), one.append("m")]
  expect([n.steps(), m.steps()]).toEqual([
    ["self", "a", "b", "c", "n"],
    ["self", "a", "b", "c", "m"],
  ])
})

it("lets the last continuation speak for all where memory has room", () => {
  const items = pathOf("self", "a", "b", "c", "d", "@items")
  const n = items.append("n")
  expect(n.steps().at(-1)).toBe("n")
  items.append("m")
  expect(n.steps().at(-1)).toBe("m")
})
