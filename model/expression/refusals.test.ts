/** The dialect reports every refusal of CEL's checker in its own words, at a character of the text. */
import { describe, expect, test } from "vitest"
import type { CelType } from "../../cel/index.ts"
import type { ExpressionScope, StructSource } from "./checked.ts"
import { expressionFunctions, macros } from "./functions.ts"
import { DialectCompiler } from "./in-cel.ts"
import { readExpression } from "./index.ts"
import { parseType, structType } from "./types.ts"

const types: Readonly<Record<string, CelType>> = {
  flag: parseType("bool"),
  count: parseType("int"),
  ratio: parseType("double"),
  text: parseType("string"),
  secret: parseType("bytes"),
  timeout: parseType("duration"),
  started: parseType("timestamp"),
  memory: parseType("quantity"),
  port: parseType("intOrString"),
  any: parseType("dyn"),
  words: parseType("list(string)"),
  labels: parseType("map(string)"),
  part: structType("Part"),
}
const structs: StructSource = {
  field: (_struct, name) => {
    const type = types[name]
    return type && { type, absence: "absent" }
  },
  names: () => Object.keys(types),
  open: (struct) => struct === "Open",
}
const compiler = new DialectCompiler(structs)
const scope: ExpressionScope = { self: structType("Part"), root: structType("Part"), old: "never", place: "columns" }
const names = [...Object.keys(types), "null", "{}", "[]"]
const operators = ["==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "%", "&&", "||", "??"]

function faultsOf(text: string, of: ExpressionScope = scope): readonly string[] {
  const { faults } = readExpression(text, of, structs, { want: "condition", what: "a rule" })
  for (const { offset } of faults) expect(offset, text).toBeLessThan(text.length)
  return faults.map(({ found, expected }) => `${found}; ${expected}`)
}

const both = names.flatMap((left) => names.map((right) => [left, right] as const))
const kinds: Readonly<Record<string, readonly string[]>> = {
  operators: both.flatMap(([left, right]) => operators.map((operator) => `(${left} ${operator} ${right}) == any`)),
  choices: both.flatMap(([left, right]) => [`(flag ? ${left} : ${right}) == any`, `(${left} ? ${right} : any) == any`]),
  indexes: both.map(([left, right]) => `${left}[${right}] == any`),
  signs: names.flatMap((name) => [`!${name}`, `-${name} == any`, `has(${name})`, `${name}.text == any`]),
  macros: both.flatMap(([left, right]) => macros.map((macro) => `${left}.${macro}(item, ${right}) == any`)),
  functions: both.flatMap(([left, right]) =>
    [...expressionFunctions.values()]
      .filter(({ form, minimum, maximum }) => (form === "method" ? minimum <= 1 && maximum >= 1 : minimum <= 2 && maximum >= 2))
      .map(({ name, form }) => (form === "method" ? `${left}.${name}(${right}) == any` : `${name}(${left}, ${right}) == any`)),
  ),
  conversions: names.flatMap((name) =>
    [...expressionFunctions.values()].filter(({ form }) => form === "call").map((one) => `${one.name}(${name}) == any`),
  ),
}

describe("what CEL refuses", () => {
  test.each(Object.entries(kinds))("of %s is reported", (_kind, all) => {
    const texts = all.filter((text) => !("fault" in compiler.compile(text, scope)))
    const refused = texts.filter((text) => "issues" in compiler.compile(text, scope))
    expect(refused.length).toBeGreaterThan(5)
    expect(refused.filter((text) => faultsOf(text).length === 0)).toEqual([])
    expect(refused.filter((text) => faultsOf(text).some((fault) => fault.endsWith("an expression of CEL")))).toEqual([])
  })

  test("is not what an open object may hold", () => {
    const open: ExpressionScope = { ...scope, self: structType("Open") }
    expect(faultsOf("other.more == 1", open)).toEqual([])
    expect(faultsOf('count == "1"', open)).toEqual(['count, an int, compared with "1", a string; values of one type: 1'])
    expect(faultsOf("other == 1")).toHaveLength(1)
  })
})
