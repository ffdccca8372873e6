import { expect, it } from "vitest"
import { matchesTag } from "./conditional.ts"

it.each<[string | undefined, boolean]>([
  [undefined, false],
  ['"A"', true],
  ['"B"', false],
  ['"B", "A"', true],
  ['W/"A"', true],
  ["*", true],
  ["A", false],
])("If-None-Match %s: %s", (header, expected) => {
  expect(matchesTag(header, '"A"')).toBe(expected)
})
