import fc from "fast-check"
import { it } from "vitest"
import { stringifyText } from "./stringify-text.ts"

it("a text is written as JSON.stringify writes it", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("a\n", "\ud800", '"', "\\", "\u007f", "~ !#[]", "\u2028"),
  )
  fc.assert(fc.property(texts, (text) => stringifyText(text) === JSON.stringify(text)))
})
