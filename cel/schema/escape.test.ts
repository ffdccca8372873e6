import fc from "fast-check"
import { expect, test } from "vitest"
import { escapeName, unescapeName } from "./escape.ts"

test.each([
  ["a", "a"],
  ["a-b", "a__dash__b"],
  ["a.b", "a__dot__b"],
  ["/a", "__slash__a"],
  ["a__b", "a__underscores__b"],
  ["a___b", "a__underscores___b"],
  ["a____b", "a__underscores____underscores__b"],
  ["a-.b", "a__dash____dot__b"],
  ["if", "__if__"],
  ["namespace", "__namespace__"],
  ["__if__", "__underscores__if__underscores__"],
  ["int", "int"],
  ["1a", undefined],
  ["", undefined],
  ["a b", undefined],
  ["$x", undefined],
  ["ü", undefined],
])("%s is written %s", (name, escaped) => expect(escapeName(name)).toBe(escaped))

test.each([
  ["a__dash____dot__b", "a-.b"],
  ["__if__", "if"],
  ["x__if__", undefined],
  ["a__b__c", undefined],
  ["__constructor__", undefined],
  ["a__b", "a__b"],
  ["_a_", "_a_"],
])("%s means %s", (escaped, name) => expect(unescapeName(escaped)).toBe(name))

test("what is escaped can be read again", () => {
  const names = fc.stringMatching(/^[a-z._/-][a-z0-9._/-]{0,12}$/)
  fc.assert(fc.property(names, (name) => unescapeName(escapeName(name) ?? "") === name))
})
