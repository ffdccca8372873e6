import { describe, expect, it } from "vitest"
import { isError } from "./values/error.ts"
import { Environment, listType, mapType, optionalLibrary, stringType, dynType } from "./index.ts"
import { librariesOf } from "./libraries/index.ts"
import { listOf } from "./values/list.ts"
import { mapOf } from "./values/map.ts"
import type { Value } from "./values/value.ts"
import { workMax } from "./work.ts"

const environment = new Environment({
  variables: {
    text: stringType,
    wide: stringType,
    half: stringType,
    texts: listType(stringType),
    deep: listType(dynType),
    names: mapType(stringType, stringType),
    data: dynType,
  },
  libraries: [optionalLibrary, ...librariesOf(30)],
})

const many = 20_000
const variables: Record<string, Value> = {
  text: "a".repeat(400_000),
  wide: "a😀".repeat(200_000),
  half: `${"a".repeat(50_000)}b${"a".repeat(50_000)}`,
  texts: listOf(Array.from({ length: many }, (_, index) => `a${index}`)),
  deep: listOf([listOf(Array.from({ length: many }, (_, index) => listOf([index])))]),
  names: mapOf(Array.from({ length: many }, (_, index) => [`a${index}`, "x"])),
  data: Buffer.alloc(400_000),
}

/** Each takes minutes, or more memory than there is, if only its cost is counted. */
const hostile = [
  "text.findAll('a.*b|a').size() > 0",
  "texts.all(x, text.findAll('a.*b|a').size() > 0)",
  "text.matches('(a?){500}a{500}b?$')",
  "texts.all(x, text.matches(x + '|[a-c]{0,900}$'))",
  "text.contains(half)",
  "text.indexOf(half) < 0",
  "text.lastIndexOf(half.substring(1) + 'b') < 0",
  "text.split(half).size() == 1",
  "text.replace('a', text).size() > 0",
  "text.replace('', text).size() > 0",
  "texts.join(text).size() > 0",
  "texts.all(x, texts.join(',').size() > 0)",
  "texts.all(x, text.size() > 0)",
  "texts.all(x, wide.size() > 0)",
  "texts.all(x, wide.charAt(199999) != '')",
  "texts.all(x, text.split('').size() > 0)",
  "texts.all(x, text.split('a').size() > 0)",
  "texts.all(x, '%s %s %s'.format([texts, names, deep]) != '')",
  "texts.all(x, '%.32767e'.format([1.0]) != '')",
  "texts.all(x, deep == deep + [])",
  "texts.all(x, deep[0] in deep)",
  "texts.all(x, sets.contains(deep, [deep[0]]))",
  "sets.intersects(deep[0], deep[0].map(x, [x]))",
  "texts.all(x, names == names)",
  "[texts].map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).all(x, x[0] == x[1])",
  "texts.all(x, isURL('http://a/' + text))",
  "texts.all(x, url('http://a/' + text).getEscapedPath() != '')",
  "texts.all(x, text.lowerAscii() == text)",
  "texts.all(x, strings.quote(text) != '')",
  "texts.exists(x, timestamp('2020-01-01T00:00:00Z').getHours('Europe/' + x) == 1)",
]

/** Errors whose messages would each hold the text of a large value. */
const failing = ["texts.exists(x, data + 1 == 2)", "texts.exists(x, {'a': 1}[data] == 1)", "texts.exists(x, int(text) == 1)"]

/** Published rules, on large values. */
const usual = [
  "text.size() <= 1000000",
  "text.startsWith('a') && !text.endsWith('b')",
  "text.matches('^[a-z]*$')",
  "texts.all(x, x.matches('^a[0-9]+$'))",
  "texts.all(x, x.startsWith('a') && x.size() < 10)",
  "texts.exists_one(x, x == 'a7')",
  "texts == texts",
  "(texts + texts).size() == 40000",
  "texts.join(',').size() > 0",
  "names.all(x, x.size() < 10)",
  "text.split('b').size() == 1",
  "sets.contains(texts, ['a1', 'a2'])",
  "texts.isSorted() || true",
  "int('0000000000000000000000000000042') == 42",
]

function run(source: string) {
  const compiled = environment.compile(source)
  if (!("program" in compiled)) throw new Error(JSON.stringify(compiled))
  return compiled.program.evaluate(variables, { costLimit: 1_000_000 })
}

describe("work of evaluations", () => {
  it.each(hostile)("ends %s", (source) => {
    const { value } = run(source)
    expect(isError(value) && value.cancelled === true, source).toBe(true)
  })

  it.each(failing)("does not write large values into the errors of %s", (source) => {
    const { value, cost, work } = run(source)
    expect(cost).toBeLessThan(2_000_000)
    expect(work).toBeLessThan(2 * workMax)
    if (isError(value)) expect(value.message.length).toBeLessThan(5_000_000)
  })

  it.each(usual)("does not end %s", (source) => {
    expect(run(source).value).toBe(true)
  })

  it("limits nothing without a limit of costs", () => {
    const compiled = environment.compile("texts.all(x, wide.charAt(3) != '')")
    expect("program" in compiled && compiled.program.evaluate({ ...variables, texts: listOf(["a"]) }).work).toBe(0)
  })
})
