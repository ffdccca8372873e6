import fc from "fast-check"
import { expect, it } from "vitest"
import { decodeUtf8 } from "./utf8.ts"

it.each<[string, number[], string]>([
  ["a byte that starts nothing", [0x61, 0xff, 0x62], "a\ufffdb"],
  ["a character cut off: one for each byte", [0xe2, 0x82], "\ufffd\ufffd"],
  ["a character broken off by another", [0xf0, 0x9f, 0x98, 0x61], "\ufffd\ufffd\ufffda"],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
  ["more bytes than needed", [0xc0, 0x80], "\ufffd\ufffd"],
  ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"],
  ["a byte order mark", [0xef, 0xbb, 0xbf, 0x7b], "\ufeff{"],
])("reads %s", (_name, bytes, text) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text)
})

it("reads any text, also within other bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const bytes = Buffer.from(`<${text}>`)
      expect(decodeUtf8(bytes.subarray(1, -1))).toBe(text)
    }),
  )
})
