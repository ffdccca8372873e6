/** No regular expression of the product takes more than linear time, whatever the text; specification section 7. */
import ts from "typescript"
import { describe, expect, it, test } from "vitest"
import { expressionsOf, slowness } from "./regexps.ts"
import { readSources } from "./source.ts"

/** Patterns that are allowed despite a finding, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  "runtime/connect/proxy-path.ts": "its last parts take any text, so that it never fails and never goes back",
  "runtime/http/request-validation.ts": "its last part takes any text, so that it never fails and never goes back",
  "runtime/storage/etcd/failures.ts": "messages of our own gRPC library",
  "codegen/load/source.ts": "one line of a schema, and messages of our own YAML library",
}

/** Patterns that are not constants, each with the reason. */
const notConstant: Readonly<Record<string, string>> = {
  "runtime/schema/formats.ts: wholePattern(source)": "the argument of `textPattern`, which is looked at there",
  "runtime/schema/names.ts: new RegExp(`^${pattern}$`)": "the argument of `wholePattern`, which is looked at there",
  'runtime/schema/constraints.ts: new RegExp(expression, "u")': "compiled to see whether it can be, and never run",
  'runtime/encoding/json/typed.ts: new RegExp(unprintable, "gu")': "another expression with other flags",
  'runtime/options/value-types.ts: new RegExp(source, ignoresCase === "" ? "" : "i")':
    "the operator's patterns of origins, which are tried on `originCharactersMax` characters",
}

const files = readSources().filter(({ path }) => /^(cel|runtime|codegen|generated)\//.test(path) && !path.endsWith(".test.ts"))
const read = files.map(({ expressions }) => expressions)

describe("regular expressions", () => {
  const slow = read.flatMap(({ found }) => found).flatMap((one) => slowness(one).map((fault) => ({ ...one, fault })))

  it("take linear time for every text", () => {
    const faults = slow
      .filter(({ path }) => allowed[path] === undefined)
      .map(
        ({ path, line, source, fault }) =>
          `${path}:${line}: /${source}/ takes ${fault}: write a loop, or parts that cannot match the same text`,
      )
    expect(faults).toEqual([])
  })

  it("are constants, so that this test can check them", () => {
    expect(read.flatMap(({ unread }) => unread).sort()).toEqual(Object.keys(notConstant).sort())
  })

  it("that are allowed still exist", () => {
    const paths = new Set(slow.map(({ path }) => path))
    expect(Object.keys(allowed).filter((path) => !paths.has(path))).toEqual([])
  })
})

/** Past mistakes, and near ones. */
test.each([
  [/ +$/, "move"],
  [/^ +| +$/g, "move"],
  [/(a+)+$/, "self"],
  [/\d*\w+!/, "trade"],
  [/^([0-9]*)(?:\.([0-9]*))?([eE]*[-+]?[0-9]*)$/, "trade"],
  [/^<([a-z][a-z0-9]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/i, "trade"],
  [/^[^;]*(?:;\s*\w+\s*=\s*\w+\s*)*;?\s*$/, "trade"],
])("%s is found", (expression, how) => expect(slowness(expression).join()).toContain(`(${how})`))

test.each([/^ +/, /^[a-z]+(\.[a-z]+)*$/, /[A-Z]+/g, /^(?:[^'\\]|\\.)*'/])("%s is not", (expression) =>
  expect(slowness(expression)).toEqual([]),
)

test("patterns in strings are assembled", () => {
  const text =
    'const a = "[a-z]+"\nconst b = `${a}(x${a})*`\nwholePattern(b)\ntextPattern("help", a, [])\nnew RegExp(`^${a} +$`)\nfunction f(a) { wholePattern(a) }'
  const { found, unread } = expressionsOf("x.ts", ts.createSourceFile("x.ts", text, ts.ScriptTarget.ES2022, true))
  expect(found.map(({ source }) => source)).toEqual(["^[a-z]+(x[a-z]+)*$", "^[a-z]+$", "^[a-z]+ +$"])
  expect(unread).toEqual(["x.ts: wholePattern(a)"])
})
