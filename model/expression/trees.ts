/** Walks expression trees, and writes them as text. */
import type { ExpressionTree } from "../model.ts"

/** The direct parts of a tree, in the order of their text. */
export function childTrees(tree: ExpressionTree): readonly ExpressionTree[] {
  switch (tree.node) {
    case "literal":
    case "name":
      return []
    case "select":
    case "unary":
    case "convert":
      return [tree.of]
    case "index":
      return [tree.of, tree.index]
    case "call":
      return tree.target === undefined ? tree.arguments : [tree.target, ...tree.arguments]
    case "binary":
      return [tree.left, tree.right]
    case "conditional":
      return [tree.test, tree.then, tree.otherwise]
    case "list":
      return tree.items
    case "macro":
      return [tree.of, tree.body]
  }
}

const shownMax = 40

/** A tree as text, for diagnostics; long ones are cut. */
export function shown(tree: ExpressionTree): string {
  const text = written(tree)
  return text.length > shownMax ? `${text.slice(0, shownMax - 3)}...` : text
}

function written(tree: ExpressionTree): string {
  switch (tree.node) {
    case "literal":
      return tree.double === true && Number.isInteger(tree.value) ? `${String(tree.value)}.0` : JSON.stringify(tree.value)
    case "name":
      return tree.name
    case "select":
      return `${written(tree.of)}.${tree.field}`
    case "index":
      return `${written(tree.of)}[${written(tree.index)}]`
    case "call":
      return `${tree.target === undefined ? "" : `${written(tree.target)}.`}${tree.function}(${tree.arguments.map(written).join(", ")})`
    case "unary":
      return `${tree.operator}${written(tree.of)}`
    case "binary":
      return `${written(tree.left)} ${tree.operator} ${written(tree.right)}`
    case "conditional":
      return `${written(tree.test)} ? ${written(tree.then)} : ${written(tree.otherwise)}`
    case "list":
      return `[${tree.items.map(written).join(", ")}]`
    case "macro":
      return `${written(tree.of)}.${tree.macro}(${tree.variable}, ${written(tree.body)})`
    case "convert":
      return written(tree.of)
  }
}
