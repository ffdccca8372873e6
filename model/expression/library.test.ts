/** CEL computes the declared results of the table of functions: each way to call one, and pairs of operands. */
import { describe, expect, test } from "vitest"
import { type CelType, isError, mapOf, typeOf, type Compiled } from "../../cel/index.ts"
import * as doorway from "../../runtime/schema/index.ts"
import { json } from "../../runtime/schema/expression.ts"
import type { StructSource, ValueInfo } from "./checked.ts"
import { expressionFunctions, type ExpressionFunction } from "./functions.ts"
import { DialectCompiler } from "./in-cel.ts"
import { dialectLibrary, plainOf } from "./library.ts"
import { intOrStringType, isSimple, itemType, simpleName, structType, typeText } from "./types.ts"

const { age, formatLabels, formatSelector, selectorString, lbAddresses } = doorway
const library = dialectLibrary({
  age: (moment) => age(moment, 0),
  vendor: (name) => name,
  behaviour: () => "done",
  formatLabels,
  formatSelector,
  selectorString,
  lbAddresses,
})
const port: ValueInfo = { type: intOrStringType, absence: "absent" }
const structs: StructSource = {
  field: (_struct, name) => (name === "port" || name === "named" ? port : undefined),
  names: () => ["port", "named"],
  open: () => false,
}
const compiler = new DialectCompiler(structs, library)
const self = mapOf([
  ["port", 80],
  ["named", "http"],
])

function compiled(text: string): Compiled {
  const result = compiler.compile(text, { self: structType("Service"), root: structType("Service") })
  if ("program" in result) return result
  throw new Error("issues" in result ? result.issues.text : result.fault)
}

const instant = "2024-01-31T12:00:00Z"
const texts: Readonly<Record<string, string>> = {
  isFormat: '"dns-label"',
  duration: '"90s"',
  time: `"${instant}"`,
  timestamp: `"${instant}"`,
}
const samples: Readonly<Record<string, string>> = {
  bool: "true",
  int: "3",
  double: "1.5",
  intOrString: "port",
  timestamp: `time("${instant}")`,
  duration: 'duration("90s")',
  quantity: 'quantity("1500m")',
  dyn: "{}",
  null: "null",
}

function sample(type: CelType, of: string): string {
  if (type.kind === "list") return isSimple(itemType(type), "dyn") ? "[]" : `[${sample(itemType(type), of)}]`
  const word = simpleName(type)
  if (word === undefined) return "{}"
  return word === "string" ? (texts[of] ?? '"12"') : (samples[word] ?? "")
}

function call({ name, form }: ExpressionFunction, args: readonly string[]): string {
  const [subject, ...rest] = args
  return form === "method" ? `${subject}.${name}(${rest.join(", ")})` : `${name}(${args.join(", ")})`
}

/** Calls with as many arguments as an overload names. */
const overloads = [...expressionFunctions.values()]
  .filter(({ name }) => name !== "has")
  .flatMap((one) =>
    one.overloads.map(({ parameters, result }) => ({
      text: call(
        one,
        parameters.map((type) => sample(type, one.name)),
      ),
      result,
    })),
  )

describe("functions", () => {
  test.each(overloads)("$text", ({ text, result }) => {
    const { type, program } = compiled(text)
    expect(typeText(type)).toBe(typeText(result))
    const { value } = program.evaluate({ self })
    if (isError(value)) throw new Error(value.message)
    const isAny = isSimple(result, "dyn")
    if (!isAny) expect(typeText(typeOf(value))).toMatch(result.kind === "list" ? /^list\(/ : typeText(result))
  })

  const examples = [...expressionFunctions.values()].filter(({ example: [text] }) => !/has\(|age\(|behaviour\(/.test(text))
  test.each(examples.map(({ example: [text, result] }) => ({ text, result })))("$text is $result", ({ text, result }) => {
    const found = json(plainOf(compiled(text).program.evaluate({ self }).value))
    expect([String(found), JSON.stringify(found).replaceAll('","', '", "')]).toContain(result)
  })
})

/** Arguments that CEL's functions of the same names read differently. */
test.each([
  ...["+5", " 5", "0x5", "1.5", "-0", "9007199254740993", "1e3"].map((text) => [`int("${text}")`, doorway.int(text)] as const),
  ...[" 5", "0x5", "1.5", "Infinity"].map((text) => [`double("${text}")`, doorway.double(text)] as const),
  ['int(duration("1500ms"))', 1],
  ['int(time("1969-12-31T23:59:59.5Z"))', 0],
  ['string(duration("1h"))', "1h0m0s"],
  ["string(123456789.125)", "123456789.125"],
  ["duration(90)", "90s"],
  ['timestamp("0000-01-01T00:00:00Z")', "0000-01-01T00:00:00Z"],
] as const)("%s is what compiled expressions give", (text, expected) => {
  expect(json(plainOf(compiled(text).program.evaluate({ self }).value))).toEqual(expected)
})

describe("operators", () => {
  test.each([
    ["port == 80", "bool", true],
    ["port != 80", "bool", false],
    ["80 == port", "bool", true],
    ['named == "http"', "bool", true],
    ['port == "http"', "bool", false],
    ["port < 81", "bool", true],
    ["port < 80", "bool", false],
    ["port <= 80", "bool", true],
    ["port > 80", "bool", false],
    ["port >= 80", "bool", true],
    ["port > 79", "bool", true],
    ["port in [79, 80]", "bool", true],
    ['named in ["a"]', "bool", false],
    ["port ?? 5", "intOrString", 80],
    ["(true ? port : 5) == 80", "bool", true],
    ["1 + 1.5", "double", 2.5],
    ["1.5 - 1", "double", 0.5],
    ["3 * 1.5", "double", 4.5],
    ["3 / 1.5", "double", 2],
    ["5 % 1.5", "double", 0.5],
    ["5 / 2", "int", 2],
    ["5 % 2", "int", 1],
    ["1 < 1.5", "bool", true],
    ["true ? 1 : 1.5", "double", 1],
    ['quantity("1") + quantity("500m")', "quantity", "1500m"],
    ['quantity("1") - 3', "quantity", "-2"],
    ['quantity("1") < 1', "bool", false],
    ['quantity("1") <= 1', "bool", true],
    ['quantity("1") > 0.5', "bool", true],
    ['quantity("1") >= quantity("1001m")', "bool", false],
    ['quantity("1") == 1', "bool", true],
    ['-quantity("1")', "quantity", "-1"],
    ['-duration("90s") < duration("0s")', "bool", true],
    [`time("${instant}") - time("${instant}") == duration("0s")`, "bool", true],
    ["null == port", "bool", false],
    ["{} == {}", "bool", true],
    ["type(port)", "string", "int"],
  ])("%s: %s, %s", (text, type, value) => {
    const { program, type: found } = compiled(text)
    expect([typeText(found), json(plainOf(program.evaluate({ self }).value))]).toEqual([type, value])
  })
})
