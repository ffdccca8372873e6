/**
 * Expressions of schema files: reads and checks them against the declared types, and reports faults at their exact
 * character.
 */
import type { ExpressionScope } from "../../model/expression/checked.ts"
import { expressionType } from "../../model/expression/field-types.ts"
import { type Expectation, readExpression } from "../../model/expression/index.ts"
import { childTrees } from "../../model/expression/trees.ts"
import type { ExpressionModel, ExpressionTree } from "../../model/model.ts"
import { checkKnownName } from "./checks.ts"
import type { SourceFile, SourceNode } from "./source.ts"
import { structsOf } from "./structs.ts"
import type { KnownType, TypeTable } from "./type-table.ts"

/** The names that an expression may use. */
export interface Scope {
  /** The value whose fields are bare names; also `self`. */
  readonly self: KnownType
  /** `root`, when the kind of the expression is known. */
  readonly root: KnownType
  readonly old: ExpressionScope["old"]
  readonly place: ExpressionScope["place"]
  /** Cell functions that `behaviour("...")` may name; absent: any. */
  readonly cells?: readonly string[] | undefined
}

/** An expression in a file. */
export interface WrittenExpression {
  readonly text: string
  readonly node: SourceNode
  readonly source: SourceFile
  readonly table: TypeTable
  /** Where the expression begins in the text of its node: not 0 inside `{{...}}`. */
  readonly base?: number
}

/** Called for each expression of a schema. Absent when the expression does not parse. */
export function checkExpression(written: WrittenExpression, scope: Scope, expectation: Expectation): ExpressionModel | undefined {
  const { text, node, source, table, base = 0 } = written
  const names = { ...scope, self: expressionType(scope.self), root: expressionType(scope.root) }
  const { model, faults } = readExpression(text, names, structsOf(table), expectation)
  for (const { offset, ...fault } of faults) source.report(source.offsetInside(node, base + offset), fault)
  if (model === undefined) return undefined
  for (const cell of cellNames(model.tree)) checkKnownName(cell, node, scope.cells, "behaviour()", source)
  return model
}

function cellNames(tree: ExpressionTree): string[] {
  const inner = childTrees(tree).flatMap(cellNames)
  const [name] = tree.node === "call" && tree.function === "behaviour" ? tree.arguments : []
  return name?.node === "literal" && typeof name.value === "string" ? [name.value, ...inner] : inner
}
