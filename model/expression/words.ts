/** "Did you mean" for names and enums in expressions. */
import type { JsonValue } from "../../runtime/base/json.ts"
import { nearest } from "../../runtime/base/nearest.ts"
import type { ExpressionTree } from "../model.ts"
import { type Checked, type Checker } from "./checked.ts"
import { shown } from "./trees.ts"

/** Longer lists are not printed whole where any field of a type is valid. */
const listedMax = 40

/** The expected part of a fault about a word outside a closed list, with the nearest word. */
export function oneOf(word: string, words: Iterable<string>): { expected: string; nearest?: string } {
  const sorted = [...new Set(words)].toSorted()
  const near = nearest(word, sorted)
  const listed = sorted.slice(0, listedMax).join(", ")
  const more = sorted.length > listedMax ? `, and ${sorted.length - listedMax} more` : ""
  const expected = sorted.length === 0 ? "a value that has fields" : sorted.length === 1 ? listed : `one of ${listed}${more}`
  return { expected, ...(near !== undefined && { nearest: near }) }
}

/** Reports a literal that `words` does not have. The empty text is no member, but an absent text reads as it. */
export function checkMember(checker: Checker, literal: ExpressionTree, words: readonly JsonValue[] | undefined, of: string): void {
  if (words === undefined || literal.node !== "literal" || literal.value === null || literal.value === "") return
  if (words.some((word) => word === literal.value)) return
  checker.report(literal, {
    found: `${shown(literal)}, which is no value of ${of}`,
    ...oneOf(String(literal.value), words.map(String)),
  })
}

/**
 * Checks the literals of `other` against the enum of `value`. Called for comparisons, and for values given to a field.
 */
export function checkMembers(checker: Checker, value: Checked, other: ExpressionTree): void {
  if (value.words === undefined) return
  for (const literal of results(other)) checkMember(checker, literal, value.words, shown(value.tree))
}

/** The literals that a tree may have as its value. */
export function results(tree: ExpressionTree): readonly ExpressionTree[] {
  if (tree.node === "literal") return [tree]
  if (tree.node === "conditional") return [...results(tree.then), ...results(tree.otherwise)]
  return tree.node === "binary" && tree.operator === "??" ? [...results(tree.left), ...results(tree.right)] : []
}
