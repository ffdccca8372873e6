import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Document, Scalar, visit } from "yaml"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { parseYaml } from "./yaml.ts"
import { hasMeaning } from "../encoding/yaml/resolve.ts"
import { atOnce } from "../base/turns.ts"
import { writeYaml, writingYaml } from "./yaml-writer.ts"

const runs = Number(process.env.YAML_RUNS ?? 3000)

/** The output of the package that earlier versions used, with escapes for characters that YAML 1.1 reads otherwise. */
function byPackage(value: JsonValue): string {
  const document = new Document(value, {
    version: "1.1",
    schema: "core",
    keepUndefined: false,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  })
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && isAmbiguous(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ indentSeq: false, lineWidth: 0 }).replace(strange, (one) => {
    const code = one.charCodeAt(0)
    return { 133: "\\N", 8232: "\\L", 8233: "\\P", 65279: "\\ufeff" }[code] ?? `\\x${code.toString(16)}`
  })
}

const strange = /[\x7f-\x9f\u2028\u2029\ufeff]/g

function isAmbiguous(text: string): boolean {
  return (
    text.search(strange) >= 0 ||
    /^\d{4}-\d/.test(text) ||
    /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+/.test(text) ||
    text === "<<" ||
    text === "=" ||
    hasMeaning(text)
  )
}

/** Parts of strings that need quotes, blocks, or a closer look. */
const pieces = [
  ...[
    "a",
    "word",
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "\r",
    ":",
    ": ",
    "#",
    " #",
    "-",
    "- ",
    "?",
    "? ",
    '"',
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
  ],
  ...["&", "*", "!", "|", ">", "%", "@", "`", "---", "...", "%x", "0", "12", "_", ".", "e", "E", "+", "0x", "0o", "0b", "f"],
  ...["true", "True", "no", "y", "on", "null", "~", ".inf", ".nan", "<<", "=", "2001-01-01", "12:30"],
  ...["\u0000", "\u0007", "\u000b", "\u001b", "\u0085", "\u00a0", "\u2028", "\u007f", "\ud800", "\udc00", "😀", "é", "\ufeff"],
  "a longer text with blanks in it that is more than forty characters",
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.constantFrom(...pieces),
  fc.string({ unit: "binary", maxLength: 6 }),
)
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom<JsonValue>(null, true, false, 0, -0, -1, 1.5, 1e21, 1e-7, 1e300, 12345678901234567890n, -5n),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, fc.option(tie("value"), { nil: undefined, freq: 20 }), { maxKeys: 4 }),
  ),
}))

describe("writeYaml", { timeout: 60_000 + runs }, () => {
  it("writes what the package writes", () => {
    fc.assert(
      fc.property(value, (document) => {
        expect(writeYaml(document)).toBe(byPackage(document))
      }),
      { numRuns: runs },
    )
  })

  it("writes strings and keys as the package does, in any position", () => {
    fc.assert(
      fc.property(text, (one) => {
        for (const document of [
          one,
          [one],
          [[one]],
          { a: one },
          { a: [one] },
          [{ a: one }],
          { [one]: 1 },
          [{ [one]: [1] }],
          { a: { [one]: {} } },
        ])
          expect(writeYaml(document)).toBe(byPackage(document))
      }),
      { numRuns: runs },
    )
  })

  it.each<[string, JsonValue]>([
    [
      "a key that is too long for its line",
      { ["k".repeat(1025)]: 1, ["l".repeat(1025)]: [1, { a: 2 }], ["m".repeat(1030)]: { a: [], b: {} } },
    ],
    ["numbers of many digits", ["1".repeat(65), `0x${"f".repeat(70)}`, `0X${"f".repeat(400)}`, `0b${"1".repeat(1100)}`, "1_".repeat(200)]],
    ["nothing", [{}, [], { a: undefined }, { a: {} }, { a: [] }]],
    ["fields that objects inherit", JSON.parse('{"__proto__":{"constructor":1},"toString":[2]}') as JsonObject],
  ])("writes %s as the package does", (_what, document) => {
    expect(writeYaml(document)).toBe(byPackage(document))
  })

  it("reads back what it wrote", () => {
    const printable = fc.string({ unit: "grapheme", maxLength: 12 })
    const documents = fc.dictionary(printable, fc.oneof(printable, fc.array(printable), fc.dictionary(printable, fc.integer())))
    fc.assert(
      fc.property(documents, (document) => {
        expect(parseYaml(writeYaml(document)).value).toEqual(document)
      }),
    )
  })
})

it("writes an object in steps as at once", () => {
  const property = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
    const value = object as JsonObject // JSON of any kind.
    for (const stageValues of [1, 3, 1000]) expect(atOnce(writingYaml(value, stageValues))).toBe(writeYaml(value))
  })
  fc.assert(property, { numRuns: 300 })
})

it.each([
  ["a long list", Array.from({ length: 20_000 }, (_none, index) => ({ name: `n${index}`, value: "v" }))],
  [
    "a short list of large objects",
    Array.from({ length: 60 }, () => Object.fromEntries(Array.from({ length: 900 }, (_none, key) => [`k${key}`, 1]))),
  ],
])("%s deep in an object is written in steps of as many values", (_what, items) => {
  const stages = writingYaml({ kind: "Pod", spec: { containers: [{ env: items }] } })
  let count = 0
  for (let stage = stages.next(); stage.done !== true; stage = stages.next()) count++
  expect(count).toBeGreaterThan(20)
})
