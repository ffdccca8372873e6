/**
 * Checks the names in a parsed expression against the types it is evaluated on, and converts it to the model's form.
 */
import type { ExpressionModel, ExpressionTree } from "../../model/model.ts"
import { checkKnownName } from "./checks.ts"
import { expectedWord } from "./diagnostic.ts"
import { type ExpressionPositions, parseExpression } from "./expression.ts"
import { formatNames } from "./formats.ts"
import { expressionFunctions } from "./functions.ts"
import { checkPattern } from "./pattern.ts"
import type { SourceFile, SourceNode } from "./source.ts"
import type { KnownType, TypeTable } from "./type-table.ts"
import { itemType, shownType } from "./type-text.ts"

/** The names that an expression may use. */
export interface Scope {
  /** The value whose fields are bare names; also `self`. */
  readonly self: KnownType
  /** `root`, when the kind of the expression is known. */
  readonly root: KnownType
  /** Allows `oldSelf` and `oldRoot`. */
  readonly old: boolean
  /**
   * The position of the expression, which decides the available functions: a clock only in columns, no vendor in fields
   * that the store indexes.
   */
  readonly standsIn: "columns" | "selectable" | "warnings" | "rules" | "defaults"
  /** Cell functions that `behaviour("...")` may name; absent: any. */
  readonly cells?: readonly string[] | undefined
}

interface Context {
  readonly source: SourceFile
  readonly node: SourceNode
  readonly table: TypeTable
  readonly scope: Scope
  readonly positions: ExpressionPositions
  readonly variables: ReadonlyMap<string, KnownType>
  /** Where the expression begins in the text of its node: not 0 inside `{{...}}`. */
  readonly base: number
}

const boolean: KnownType = { scalar: "boolean" }
const text: KnownType = { scalar: "string" }
const number: KnownType = { scalar: "double" }

/**
 * Called for each expression of a schema. Reports errors at their exact character. Absent when the expression does not
 * parse.
 */
export function checkExpression(
  written: string,
  node: SourceNode,
  source: SourceFile,
  table: TypeTable,
  scope: Scope,
  base = 0,
): ExpressionModel | undefined {
  const parsed = parseExpression(written)
  if ("fault" in parsed) {
    const { offset, found, expected, nearest } = parsed.fault
    const where = written.length > 60 ? `${written.slice(0, 57)}...` : written
    source.report(source.offsetInside(node, base + offset), {
      found: `${found} in the expression \`${where}\``,
      expected,
      ...(nearest !== undefined && { nearest }),
    })
    return undefined
  }
  infer(parsed.tree, { source, node, table, scope, positions: parsed.positions, variables: new Map(), base })
  return { text: written, tree: parsed.tree }
}

function report(context: Context, tree: ExpressionTree, fault: { found: string; expected: string; nearest?: string }): void {
  context.source.report(context.source.offsetInside(context.node, context.base + (context.positions.get(tree) ?? 0)), fault)
}

/** Infers the type of a tree as far as it is known. Visits every sub-tree, so that all unknown names are reported. */
function infer(tree: ExpressionTree, context: Context): KnownType {
  switch (tree.node) {
    case "literal":
      return literalType(tree.value)
    case "name":
      return inferName(tree, context)
    case "select":
      return selected(tree, tree.field, infer(tree.of, context), context)
    case "index":
      return inferIndex(tree, context)
    case "call":
      return inferCall(tree, context)
    case "unary": {
      const of = infer(tree.of, context)
      return tree.operator === "!" ? boolean : of
    }
    case "binary":
      return inferBinary(tree, context)
    case "conditional": {
      infer(tree.test, context)
      const then = infer(tree.then, context)
      return common(then, infer(tree.otherwise, context))
    }
    case "list": {
      const [first, ...rest] = tree.items.map((item) => infer(item, context))
      const item = rest.reduce(common, first)
      return item && { list: item }
    }
    case "macro":
      return inferMacro(tree, context)
  }
}

function literalType(value: unknown): KnownType {
  if (typeof value === "string") return text
  if (typeof value === "number") return number
  return typeof value === "boolean" ? boolean : undefined
}

function inferName(tree: ExpressionTree & { node: "name" }, context: Context): KnownType {
  const { scope, variables, table } = context
  if (variables.has(tree.name)) return variables.get(tree.name)
  if (tree.name === "self") return scope.self
  if (tree.name === "root") return scope.root
  if (tree.name === "oldSelf" || tree.name === "oldRoot") {
    if (!scope.old) report(context, tree, { found: `${tree.name} where there is no stored object`, expected: "on: update" })
    return tree.name === "oldSelf" ? scope.self : scope.root
  }
  if (scope.self === undefined || !("ref" in scope.self)) return undefined
  const step = table.select(scope.self, tree.name)
  if (!("fault" in step)) return step.type
  const words = [...step.fault.names, ...variables.keys(), "self", "root", ...(scope.old ? ["oldSelf", "oldRoot"] : [])]
  report(context, tree, { found: `unknown name "${tree.name}"`, ...expectedWord(tree.name, words) })
  return undefined
}

function selected(tree: ExpressionTree, field: string, of: KnownType, context: Context): KnownType {
  const step = context.table.select(of, field)
  if (!("fault" in step)) return step.type
  const { found, names } = step.fault
  if (names.length > 0) report(context, tree, { found, ...expectedWord(field, names) })
  else if (of !== undefined && itemType(of) !== undefined)
    report(context, tree, { found, expected: "an index such as [0], or a macro such as .exists(item, ...)" })
  else report(context, tree, { found, expected: "a value that has fields" })
  return undefined
}

function inferIndex(tree: ExpressionTree & { node: "index" }, context: Context): KnownType {
  const of = infer(tree.of, context)
  infer(tree.index, context)
  if (of === undefined) return undefined
  const item = itemType(of)
  if (item !== undefined) return item
  if ("map" in of) return of.map
  if ("ref" in of)
    return tree.index.node === "literal" && typeof tree.index.value === "string" ? selected(tree, tree.index.value, of, context) : undefined
  if ("scalar" in of && (of.scalar === "any" || of.scalar === "RawExtension" || of.scalar === "FieldsV1")) return undefined
  report(context, tree, { found: `an index into a value of type ${shownType(of)}`, expected: "a list or a map" })
  return undefined
}

function inferCall(tree: ExpressionTree & { node: "call" }, context: Context): KnownType {
  if (tree.target !== undefined) infer(tree.target, context)
  const given = tree.arguments.map((argument) => infer(argument, context))
  checkAvailable(tree, context)
  if (tree.function === "isFormat") checkLiteral(tree, formatNames, "the name of a format as a literal", context)
  if (tree.function === "behaviour") checkCell(tree, context)
  const [pattern] = tree.arguments
  if (tree.function === "matches" && pattern?.node === "literal" && typeof pattern.value === "string") {
    checkPattern(
      pattern.value,
      context.source.offsetInside(context.node, context.base + (context.positions.get(pattern) ?? 0)),
      context.source,
    )
  }
  if (tree.function === "vendor") checkLiteral(tree, undefined, "a neutral name as a literal", context)
  switch (expressionFunctions.get(tree.function)?.result) {
    case "boolean":
      return boolean
    case "string":
      return text
    case "number":
      return number
    case "list":
      return { list: { scalar: "string" } }
    default:
      return tree.function === "behaviour" || given.length !== 1 ? undefined : given[0] && itemType(given[0])
  }
}

/** Functions that need more than the object, with the positions where they are allowed; others are allowed anywhere. */
const limitedFunctions: Readonly<Record<string, readonly Scope["standsIn"][]>> = {
  age: ["columns"],
  behaviour: ["columns"],
  vendor: ["columns", "warnings", "rules", "defaults"],
}

function checkAvailable(tree: ExpressionTree & { node: "call" }, context: Context): void {
  const places = limitedFunctions[tree.function]
  const { standsIn } = context.scope
  if (places !== undefined && !places.includes(standsIn))
    report(context, tree, { found: `${tree.function} in ${standsIn}`, expected: `that function only in ${places.join(", ")}` })
}

function checkCell(tree: ExpressionTree & { node: "call" }, context: Context): void {
  checkLiteral(tree, undefined, "the name of a cell function as a literal", context)
  const [name] = tree.arguments
  if (name?.node === "literal" && typeof name.value === "string")
    checkKnownName(name.value, context.node, context.scope.cells, "behaviour()", context.source)
}

/**
 * The generator evaluates the first argument of these functions, so it must be a literal, one of `words` where they are
 * known.
 */
function checkLiteral(
  tree: ExpressionTree & { node: "call" },
  words: readonly string[] | undefined,
  expected: string,
  context: Context,
): void {
  const [first] = tree.arguments
  if (first?.node !== "literal" || typeof first.value !== "string")
    report(context, tree, { found: `${tree.function} of a computed value`, expected })
  else if (words !== undefined && !words.includes(first.value))
    report(context, first, { found: `unknown name "${first.value}" in ${tree.function}`, ...expectedWord(first.value, words) })
}

function inferBinary(tree: ExpressionTree & { node: "binary" }, context: Context): KnownType {
  const left = infer(tree.left, context)
  const right = infer(tree.right, context)
  switch (tree.operator) {
    case "??":
      return tree.right.node === "list" && tree.right.items.length === 0 ? left : common(left, right)
    case "+":
      return common(left, right)
    case "-":
    case "*":
    case "/":
    case "%":
      return number
    default:
      return boolean
  }
}

/** The type when both agree; unknown otherwise. */
function common(left: KnownType, right: KnownType): KnownType {
  if (left === undefined || right === undefined) return undefined
  return shownType(left) === shownType(right) ? left : undefined
}

function inferMacro(tree: ExpressionTree & { node: "macro" }, context: Context): KnownType {
  const of = infer(tree.of, context)
  const item = of === undefined ? undefined : "map" in of ? text : itemType(of)
  if (of !== undefined && item === undefined && !("scalar" in of && of.scalar === "any")) {
    report(context, tree, { found: `${tree.macro} over a value of type ${shownType(of)}`, expected: "a list or a map" })
  }
  const body = infer(tree.body, { ...context, variables: new Map([...context.variables, [tree.variable, item]]) })
  if (tree.macro === "filter") return of !== undefined && "map" in of ? { list: { scalar: "string" } } : of
  if (tree.macro === "map") return body && { list: body }
  return boolean
}
