import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Expr } from "./expr.ts"
import { parse } from "./parser.ts"
import { Source } from "./source.ts"
import { standardMacros } from "./standard-macros.ts"

const options = { macros: standardMacros, optionalSyntax: true }

/** A tree as text: calls in front of their arguments, constants with their types. */
function show(expr: Expr): string {
  switch (expr.kind) {
    case "constant": {
      const { constant } = expr
      if (constant.type === "null") return "null"
      if (constant.type === "bytes") return `bytes[${constant.value.join(" ")}]`
      return `${constant.type}:${constant.value}`
    }
    case "ident":
      return expr.name
    case "select":
      return `${show(expr.operand)}.${expr.field}${expr.test ? "?" : ""}`
    case "call": {
      const target = expr.target === undefined ? "" : `${show(expr.target)} `
      return `(${target}${expr.function}${expr.args.map((arg) => ` ${show(arg)}`).join("")})`
    }
    case "list":
      return `[${expr.elements.map((one, index) => (expr.optional.includes(index) ? "?" : "") + show(one)).join(" ")}]`
    case "map": {
      const entries = expr.entries.map((entry) => `${entry.optional ? "?" : ""}${show(entry.key)}:${show(entry.value)}`)
      return `{${entries.join(" ")}}`
    }
    case "struct":
      return `${expr.name}{${expr.entries.map((entry) => `${entry.field}:${show(entry.value)}`).join(" ")}}`
    case "fold": {
      const parts = [expr.init, expr.condition, expr.step, expr.result].map(show).join(" | ")
      return `<${expr.iterVar} in ${show(expr.range)}: ${parts}>`
    }
  }
}

function shown(source: string): string {
  const parsed = parse(source, options)
  return "expr" in parsed ? show(parsed.expr) : new Source(source).format(parsed.issues)
}

describe("the parser", () => {
  it.each([
    ["a + b * c - d", "(_-_ (_+_ a (_*_ b c)) d)"],
    ["a < b == c", "(_==_ (_<_ a b) c)"],
    ["a in b && !c", "(_&&_ (@in a b) (!_ c))"],
    ["a ? b : c ? d : e", "(_?_:_ a b (_?_:_ c d e))"],
    ["a && b && c && d", "(_&&_ (_&&_ a b) (_&&_ c d))"],
    ["-1", "int:-1"],
    ["- 1 - -1", "(_-_ int:-1 int:-1)"],
    ["--1", "int:1"],
    ["---x", "(-_ x)"],
    ["!!x", "x"],
    ["-9223372036854775808", "int:-9223372036854775808"],
    ["0xFf + 0x1u", "(_+_ int:255 uint:1)"],
    [".5e1", "double:5"],
    ["a.b.c(d)[e]", "(_[_] (a.b c d) e)"],
    [".a.b", ".a.b"],
    ["a.?b[?c]", "(_[?_] (_?._ a string:b) c)"],
    ["[?a, b,]", "[?a b]"],
    ["{?a: b, 'c': d,}", "{?a:b string:c:d}"],
    ["a.B{c: d}", "a.B{c:d}"],
    ["f() // the rest\n + g(a, b)", "(_+_ (f) (g a b))"],
    ["has(a.b)", "a.b?"],
    ["r'\\d' + '\\x41\\u00e9\\101\\n'", "(_+_ string:\\d string:AéA\n)"],
    ["'''a'b''' + \"\"\"c\"\"\"", "(_+_ string:a'b string:c)"],
    ["b'\\xff\\101é'", "bytes[255 65 195 169]"],
    ["'a\\U0001F600'", "string:a😀"],
  ])("reads %s", (source, tree) => {
    expect(shown(source)).toBe(tree)
  })

  it.each([
    ["x.all(e, p)", "<e in x: bool:true | (@not_strictly_false __result__) | (_&&_ __result__ p) | __result__>"],
    ["x.exists(e, p)", "<e in x: bool:false | (@not_strictly_false (!_ __result__)) | (_||_ __result__ p) | __result__>"],
    ["x.map(e, f)", "<e in x: [] | bool:true | (_+_ __result__ [f]) | __result__>"],
    ["x.filter(e, p)", "<e in x: [] | bool:true | (_?_:_ p (_+_ __result__ [e]) __result__) | __result__>"],
  ])("expands %s", (source, tree) => {
    expect(shown(source)).toBe(tree)
  })

  it.each([
    ["1 +", "1:4: Syntax error: mismatched input '<EOF>' expecting {'['"],
    ["(1 + 2", "1:7: Syntax error: missing ')' at '<EOF>'"],
    ["[1, 2", "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
    ["a b", "1:3: Syntax error: extraneous input 'b' expecting <EOF>"],
    ["a.true", "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
    ["'abc", "1:1: Syntax error: token recognition error at: ''abc'"],
    ["while", "1:1: reserved identifier: while"],
    ["9223372036854775808", "1:1: invalid int literal"],
    ["x.all(1, true)", "1:7: argument must be a simple name"],
    ["has(x)", "1:5: invalid argument to has() macro"],
  ])("refuses %s", (source, message) => {
    expect(shown(source)).toContain(`ERROR: <input>:${message}`)
  })

  it("points at the fault below the line, in characters", () => {
    expect(shown("true &&\n'é😀' + )")).toContain("\n | 'é😀' + )\n | .．．....^")
  })

  it("reads at most so much, so deep", () => {
    expect(shown(`${"(".repeat(250)}1${")".repeat(250)}`)).toContain("-1:0: expression recursion limit exceeded: 250")
    expect(shown(`1${" + 1".repeat(250)}`)).toContain("expression recursion limit exceeded: 250")
    expect(shown(`a${".a".repeat(200)}`)).toContain("a.a.a")
    expect(shown(`${"'".padEnd(100_000, "a")}'`)).toContain("size exceeds limit: size: 100001, limit 100000")
  })

  it("reads what is printed", () => {
    fc.assert(
      fc.property(tree(4), ({ source, printed }) => {
        expect(shown(source)).toBe(printed)
      }),
    )
  })
})

interface Printed {
  readonly source: string
  readonly printed: string
}

/** An expression in parentheses, with its tree. */
function tree(depth: number): fc.Arbitrary<Printed> {
  const leaf: fc.Arbitrary<Printed> = fc.oneof(
    fc.constantFrom("a", "b", "cc").map((name) => ({ source: name, printed: name })),
    fc.nat(1000).map((value) => ({ source: String(value), printed: `int:${value}` })),
    fc.string({ unit: "grapheme" }).map((value) => ({ source: quote(value), printed: `string:${value}` })),
  )
  if (depth === 0) return leaf
  const inner = tree(depth - 1)
  const binary = fc.tuple(inner, fc.constantFrom("+", "-", "*", "/", "%", "<", "==", "&&", "||"), inner)
  return fc.oneof(
    leaf,
    binary.map(([one, sign, other]) => ({
      source: `(${one.source} ${sign} ${other.source})`,
      printed: `(_${sign}_ ${one.printed} ${other.printed})`,
    })),
    fc.array(inner, { maxLength: 3 }).map((all) => ({
      source: `f(${all.map(({ source }) => source).join(", ")})`,
      printed: `(f${all.map(({ printed }) => ` ${printed}`).join("")})`,
    })),
    fc.tuple(inner, inner).map(([one, other]) => ({
      source: `[${one.source}, {'k': ${other.source}}]`,
      printed: `[${one.printed} {string:k:${other.printed}}]`,
    })),
  )
}

function quote(text: string): string {
  const escaped = text.replace(/[\\'"\n\r]/g, (one) => `\\${{ "\n": "n", "\r": "r" }[one] ?? one}`)
  return `'${escaped}'`
}
