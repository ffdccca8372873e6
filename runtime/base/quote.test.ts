import { expect, it } from "vitest"
import { quoted } from "./quote.ts"

it.each([
  ["plain é 世 <&>'", '"plain é 世 <&>\'"'],
  ['a"b\\c', String.raw`"a\"b\\c"`],
  ["\n\t\r\x07\v", String.raw`"\n\t\r\a\v"`],
  ["a\0\x1f\x7f", String.raw`"a\x00\x1f\x7f"`],
  ["\u200b\u00a0\ue000", String.raw`"\u200b\u00a0\ue000"`],
  ["\u{e0001}", String.raw`"\U000e0001"`],
  ["\ud800", '"\ufffd"'],
])("writes %j", (text, written) => {
  expect(quoted(text)).toBe(written)
})
