import { expect, test } from "vitest"
import { Duration } from "../values/time.ts"
import { Double, Uint, type Value } from "../values/value.ts"
import { Members } from "./members.ts"

const large = 2n ** 53n + 1n

test.each<[elements: Value[], value: Value, found: boolean]>([
  [["a", "b"], "b", true],
  [["1"], 1, false],
  [[1], new Double(1), true],
  [[new Uint(1)], 1, true],
  [[new Double(1.5)], new Double(1.5), true],
  [[new Double(Number.NaN)], new Double(Number.NaN), false],
  [[large], large, true],
  [[large], new Double(2 ** 53), true],
  [[new Double(2 ** 53)], large, true],
  [[true, null], null, true],
  [[true], false, false],
  [[new Duration(1n)], new Duration(1n), true],
  [[new Uint8Array([1])], new Uint8Array([1]), true],
])("case %#", (elements, value, found) => expect(new Members(elements).has(value)).toBe(found))
