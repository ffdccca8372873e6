import { describe, expect, test } from "vitest"
import type { ExpressionTree } from "../model.ts"
import { parseExpression } from "./read.ts"

/** Fully parenthesised, so that one line of text shows the whole tree. */
function shown(tree: ExpressionTree): string {
  switch (tree.node) {
    case "literal":
      return JSON.stringify(tree.value)
    case "name":
      return tree.name
    case "select":
      return `${shown(tree.of)}.${tree.field}`
    case "index":
      return `${shown(tree.of)}[${shown(tree.index)}]`
    case "call":
      return `${tree.target === undefined ? "" : `${shown(tree.target)}.`}${tree.function}(${tree.arguments.map(shown).join(", ")})`
    case "unary":
      return `(${tree.operator}${shown(tree.of)})`
    case "binary":
      return `(${shown(tree.left)} ${tree.operator} ${shown(tree.right)})`
    case "conditional":
      return `(${shown(tree.test)} ? ${shown(tree.then)} : ${shown(tree.otherwise)})`
    case "list":
      return `[${tree.items.map(shown).join(", ")}]`
    case "macro":
      return `${shown(tree.of)}.${tree.macro}(${tree.variable} => ${shown(tree.body)})`
    case "convert":
      return `${tree.to}<${shown(tree.of)}>`
  }
}

function parsed(text: string): string {
  const result = parseExpression(text)
  return "tree" in result
    ? shown(result.tree)
    : `fault at ${result.fault.offset}: ${result.fault.found} / ${result.fault.expected} / ${result.fault.nearest ?? ""}`
}

describe("trees", () => {
  test.each([
    ["a && b || c", "((a && b) || c)"],
    ["a || b && c", "(a || (b && c))"],
    ["!a.b && -c < 3", "((!a.b) && ((-c) < 3))"],
    ["1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"],
    ["a ?? b ?? c", "((a ?? b) ?? c)"],
    ["a ? b : c ? d : e", "(a ? b : (c ? d : e))"],
    ["a ?? b ? c : d ?? e", "((a ?? b) ? c : (d ?? e))"],
    ["(a ?? 0) > 1", "((a ?? 0) > 1)"],
    ["x in ['a', \"b\"]", '(x in ["a", "b"])'],
    ["status.podIPs[0].ip", "status.podIPs[0].ip"],
    ['metadata.labels["a.b/c"]', 'metadata.labels["a.b/c"]'],
    ["self.items.all(i, i.n > 0)", "self.items.all(i => (i.n > 0))"],
    ["spec.ports.map(p, p.name).join(',')", 'spec.ports.map(p => p.name).join(",")'],
    ["size(x)", "size(x)"],
    ["x.size()", "size(x)"],
    ["startsWith(x, 'a')", 'x.startsWith("a")'],
    [String.raw`x.matches(r"^\d+$")`, String.raw`x.matches("^\\d+$")`],
    [String.raw`"a\n\u0041"`, String.raw`"a\nA"`],
    ['behaviour("podStatus").reason', 'behaviour("podStatus").reason'],
    ["-1.5e3", "-1500"],
    ["null == true", "(null == true)"],
    ["[]", "[]"],
    ["a ?? {}", "(a ?? {})"],
    ["a != b", "(a != b)"],
  ])("%s", (text, tree) => expect(parsed(text)).toBe(tree))
})

describe("faults", () => {
  test.each([
    ["", "fault at 0: the end / a name, a literal, a list or a parenthesis / "],
    ["a = b", "fault at 2: = / == / =="],
    ["a b", "fault at 2: b / an operator or the end of the expression / "],
    ["(a", 'fault at 2: the end / ")" to close the parenthesis / '],
    ["'a", "fault at 0: 'a / a closing ' for this text / "],
    ["a < b < c", "fault at 6: < / && between two comparisons: a < b && b < c / "],
    ["a ?? 0 > 1", "fault at 2: ?? beside > / parentheses that say which binds first: (a ?? b) > c / "],
    ["a || b ?? c", "fault at 7: ?? beside || / parentheses that say which binds first: (a ?? b) || c / "],
    ["{a: 1}", "fault at 1: a / {}: the empty object is the only one that can be written / "],
    ["size(a, b)", "fault at 0: size with 2 arguments / size(a) / "],
    ["startsWith()", "fault at 0: startsWith with 0 arguments / x.startsWith(a) / "],
    ["all(x, true)", "fault at 0: all( / a list before it: list.all(item, ...) / "],
    ["x.all(1, true)", "fault at 6: 1 / a variable name: list.all(item, ...) / "],
    ["a ? b", 'fault at 5: the end / ":" and the value otherwise / '],
    ["99999999999999999999", "fault at 0: 99999999999999999999 / a whole number within 2^53 / "],
  ])("%s", (text, fault) => expect(parsed(text)).toBe(fault))

  test("a mistyped function suggests the nearest", () => {
    expect(parsed("x.exist_one(i, i)")).toMatch(/^fault at 2: exist_one\( .* \/ existsOne$/)
    expect(parsed("x.exists_one(i, i)")).toBe("x.existsOne(i => i)")
    expect(parsed("siz(x)")).toMatch(/ \/ size$/)
  })

  test("limits the depth", () => {
    expect(parsed("(".repeat(5000))).toContain("nested at most 64 deep")
    expect(parsed("[".repeat(5000))).toContain("nested at most 64 deep")
  })
})
