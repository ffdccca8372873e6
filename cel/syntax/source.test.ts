import fc from "fast-check"
import { expect, it } from "vitest"
import { Source } from "./source.ts"

const piece = fc.constantFrom("a", "é", "😀", "\n", "\ud83d", "\ude00", "漢".repeat(300), "😀".repeat(150), "ab😀".repeat(200))

it("counts positions in characters, wherever they are in a long text", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), (pieces, drawn) => {
      const text = pieces.join("")
      const index = drawn % (text.length + 1)
      const start = text.lastIndexOf("\n", index - 1) + 1
      // A position is the start of a token, which is never within a character.
      fc.pre(!/[\udc00-\udfff]/.test(text[start] ?? "") && !/[\udc00-\udfff]/.test(text[0] ?? ""))
      // Lone halves count as characters if no character has two.
      const second = /[\ud800-\udbff][\udc00-\udfff]/.test(text) ? /[\udc00-\udfff]/g : /(?!)/g
      const characters = (from: number): number => text.slice(from, index).replace(second, "").length
      expect(new Source(text).position(index)).toEqual({
        offset: characters(0),
        line: text.slice(0, index).split("\n").length,
        column: characters(start),
      })
    }),
    { numRuns: 1000 },
  )
})
