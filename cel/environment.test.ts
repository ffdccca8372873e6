import { describe, expect, it } from "vitest"
import { Environment, type Refused, type Compiled } from "./environment.ts"
import { optionalLibrary } from "./standard/optional.ts"
import { parse } from "./syntax/parser.ts"
import { Source } from "./syntax/source.ts"
import { formatType } from "./types/format.ts"
import { dynType, intType, listType, mapType, objectType, stringType, timestampType } from "./types/type.ts"
import { listOf } from "./values/list.ts"
import { mapOf } from "./values/map.ts"
import { print } from "./values/print.ts"
import { parseTimestamp } from "./values/timestamp-text.ts"
import type { Value } from "./values/value.ts"

const person = objectType("Person", new Map([["name", { property: "name", type: stringType }]]))
const environment = new Environment({
  variables: {
    n: intType,
    words: listType(stringType),
    ages: mapType(stringType, intType),
    any: dynType,
    person,
    when: timestampType,
  },
  libraries: [optionalLibrary],
})

function time(text: string): Value {
  const parsed = parseTimestamp(text)
  if (parsed === undefined || parsed === "overflow") throw new Error(text)
  return parsed
}

const variables: Readonly<Record<string, Value>> = {
  n: 5,
  words: listOf(["one", "two", "three"]),
  ages: mapOf([
    ["ann", 30],
    ["bob", 20],
  ]),
  any: mapOf([
    ["n", 1],
    ["text", "x"],
    ["nothing", null],
  ]),
  person: mapOf([["name", "ann"]]),
  when: time("2024-02-29T23:30:15.25+01:00"),
}

function compiled(source: string): Compiled {
  const result: Compiled | Refused = environment.compile(source)
  if ("program" in result) return result
  throw new Error("issues" in result ? result.issues.text : result.fault)
}

describe("an environment", () => {
  it.each([
    ["n * 2 - 1", "int"],
    ["words.map(w, w.size())", "list(int)"],
    ["words.filter(w, w != 'one')", "list(string)"],
    ["ages['ann'] + 1", "int"],
    ["any.x.y", "dyn"],
    ["person.name", "string"],
    ["{'a': [1]}", "map(string, list(int))"],
    ["[]", "list(dyn)"],
    ["n > 1 ? 1 : any", "dyn"],
    ["when - when", "duration"],
    ["ages.?ann", "optional(int)"],
    ["ages.?ann.orValue(0)", "int"],
    ["type(n)", "type(int)"],
  ])("finds the type of %s", (source, type) => {
    expect(formatType(compiled(source).type)).toBe(type)
  })

  it.each([
    ["m", "1:1: undeclared reference to 'm' (in container '')"],
    ["f(n)", "1:2: undeclared reference to 'f' (in container '')"],
    ["n + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ["words.size(1)", "1:11: found no matching overload for 'size' applied to 'list(string).(int)'"],
    ["person.age", "1:7: undefined field 'age'"],
    ["n.x", "1:2: type 'int' does not support field selection"],
    ["n.all(x, true)", "1:1: expression of type 'int' cannot be range of a comprehension"],
    ["words.all(w, 1)", "1:14: expected type 'bool' but found 'int'"],
    ["n && true", "1:1: expected type 'bool' but found 'int'"],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["timestamp('soon')", "1:11: invalid timestamp argument"],
    ["'a'.matches('[')", "1:13: invalid matches argument"],
  ])("refuses %s", (source, message) => {
    const result = environment.compile(source)
    expect("issues" in result && result.issues.text).toContain(`ERROR: <input>:${message}`)
  })

  it.each([
    ["n * 2 - 1", "9", 3],
    ["words.map(w, w + '!')", "[one!, two!, three!]", 44],
    ["words.exists(w, w == 'two') && words.all(w, w.size() > 2)", "true", 37],
    ["words.exists_one(w, w.startsWith('t'))", "false", 13],
    ["ages.map(k, ages[k])", "[30, 20]", 30],
    ["any.n + 1", "2", 3],
    ["any.nothing == null", "true", 3],
    ["has(any.text) && !has(any.other)", "true", 3],
    ["ages.?eve.orValue(7)", "7", 1],
    ["ages.?ann.optMap(a, a + 1).value()", "31", 10],
    ["[?ages.?eve, ?ages.?ann]", "[30]", 13],
    ["n in [1, 5]", "true", 1],
    ["1 / 0 == 1 || n == 5", "true", 4],
    ["!(1 / 0 == 1 && n == 6)", "true", 5],
    ["when.getHours() == 22 && when.getDate('+01:00') == 29", "true", 6],
    ["string(when)", "2024-02-29T23:30:15.25+01:00", 2],
    ["string(when + duration('-45s500ms'))", "2024-02-29T23:29:29.75+01:00", 3],
    ["int('-7') % 3", "-1", 1],
    ["string(1.5e300) + string(-0.0)", "1.5e+300-0", 1],
    ["dyn(1) == 1.0 && 1u < 2", "true", 2],
    ["'a😀'.size()", "2", 1],
  ])("evaluates %s to %s at a cost of %d", (source, value, cost) => {
    const outcome = compiled(source).program.evaluate(variables)
    expect({ value: print(outcome.value), cost: outcome.cost }).toEqual({ value, cost })
  })

  it.each([
    ["ages.eve", "no such key: eve"],
    ["words[3]", "index out of bounds: 3"],
    ["n / 0", "division by zero"],
    ["n % 0", "modulus by zero"],
    ["9223372036854775807 + n", "integer overflow"],
    ["uint(n - 6)", "unsigned integer overflow"],
    ["any.text + 1", "no such overload"],
    ["int(any.text)", "type conversion error from 'string' to 'int'"],
    ["ages.?eve.value()", "optional.none() dereference"],
    ["any.n.all(x, true)", "got 'types.Int', expected iterable type"],
    ["when.getHours('Mars')", "unknown time zone Mars"],
  ])("reports the error of %s", (source, message) => {
    expect(compiled(source).program.evaluate(variables).value).toMatchObject({ message })
  })

  it("cannot make a program whose constants cannot be converted", () => {
    expect(environment.compile("int('x') == 1")).toEqual({ fault: "type conversion error from 'string' to 'int'" })
  })

  it("ends an evaluation at the limit of its cost", () => {
    const { program } = compiled("words.all(a, words.all(b, words.all(c, a + b + c != '')))")
    const outcome = program.evaluate(variables, { costLimit: 50 })
    expect(outcome).toMatchObject({ cost: 51, value: { cancelled: true } })
    expect(outcome.value).toMatchObject({ message: "operation cancelled: actual cost limit exceeded" })
    const errorsAbsorbed = compiled("words.all(a, a != '') || true").program
    expect(errorsAbsorbed.evaluate(variables, { costLimit: 5 }).value).toMatchObject({ cancelled: true })
  })

  it("estimates costs from sizes", () => {
    const size = (): { readonly min: bigint; readonly max: bigint } => ({ min: 0n, max: 10n })
    expect(compiled("words.all(w, w == 'abc')").estimate({ size })).toEqual({ min: 2n, max: 52n })
    expect(compiled("words.all(w, w == 'abc')").estimate()).toEqual({ min: 2n, max: 2n ** 64n - 1n })
  })

  it("shares what is declared with an environment that has more", () => {
    const more = environment.extend({ variables: { extra: intType } })
    expect("program" in more.compile("extra + n")).toBe(true)
    expect("issues" in environment.compile("extra")).toBe(true)
  })

  it("takes fields of an open object that it does not name as any value", () => {
    const open = objectType("Open", new Map([["name", { property: "name", type: stringType }]]), true)
    const more = environment.extend({ variables: { open } })
    const types = ["open.name", "open.other", "open.other.more"].map((text) => {
      const result = more.compile(text)
      return "program" in result && formatType(result.type)
    })
    expect(types).toEqual(["string", "dyn", "dyn"])
    expect("issues" in more.compile("open.name + 1")).toBe(true)
  })

  it("replaces the overloads of a function, and keeps the implementation for the same arguments", () => {
    const overloads = [{ id: "own", member: true as const, args: [stringType, stringType], result: dynType }]
    const more = environment.extend({ libraries: [{ name: "own", functions: [{ name: "matches", replaces: true, overloads }] }] })
    const result = more.compile("'abc'.matches('b')")
    if (!("program" in result)) throw new Error("not compiled")
    expect([formatType(result.type), result.program.evaluate({}).value]).toEqual(["dyn", true])
    expect("issues" in more.compile("matches('abc', 'b')")).toBe(true)
  })

  it("says which node of a tree it refuses, and which only its place", () => {
    const text = "(n + 'a') == 1 || n"
    const parsed = parse(new Source(text))
    if ("issues" in parsed) throw new Error("not parsed")
    const { tree, issues } = environment.checkTree(new Source(text), parsed.expr)
    const said = issues.map(({ node, misplaced }) => ({ type: formatType(tree.types.get(node ?? 0) ?? dynType), misplaced }))
    expect(said).toEqual([{ type: "!error!" }, { type: "int", misplaced: true }])
    const taken = [0, 1, 2].map((index) => environment.takes("_+_", index, stringType))
    expect([...taken, environment.takes("_-_", 0, stringType), environment.takes("none", 0, dynType)]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it("says which variables an expression reads", () => {
    expect([...compiled("words.all(n, n == 'a') || person.name == ''").ast.variables]).toEqual(["words", "person"])
  })
})
