/** Expressions: from a text to a checked tree. The generator uses it for schemas. */
import type { ExpressionModel } from "../model.ts"
import { checkTree } from "./check.ts"
import type { CheckFault, ExpressionScope, StructSource } from "./checked.ts"
import { checkResult, type Expectation } from "./expect.ts"
import { DialectCompiler } from "./in-cel.ts"
import { parseExpression } from "./read.ts"
import { offsetOf } from "./syntax-faults.ts"

export type { Expectation } from "./expect.ts"

/** An expression that was read: absent when it does not parse; with faults it must not be used. */
export interface ReadExpression {
  readonly model?: ExpressionModel
  readonly faults: readonly CheckFault[]
}

const shownMax = 60
const compilers = new WeakMap<StructSource, DialectCompiler>()

/** What CEL's checker refuses: every expression of a schema is one of CEL. */
function celFaults(text: string, scope: ExpressionScope, structs: StructSource): CheckFault[] {
  const compiler = compilers.get(structs) ?? new DialectCompiler(structs)
  compilers.set(structs, compiler)
  const compiled = compiler.compile(text, scope)
  if ("program" in compiled) return []
  if ("fault" in compiled) return [{ offset: 0, found: compiled.fault, expected: "" }]
  return compiled.issues.list.map((issue) => ({ offset: offsetOf(text, issue), found: issue.message, expected: "" }))
}

/** Called for each expression of a schema. Pure. Faults have offsets into `text`, sorted by them. */
export function readExpression(text: string, scope: ExpressionScope, structs: StructSource, expectation: Expectation): ReadExpression {
  const parsed = parseExpression(text)
  if ("fault" in parsed) {
    const { found, ...fault } = parsed.fault
    const where = text.length > shownMax ? `${text.slice(0, shownMax - 3)}...` : text
    return { faults: [{ ...fault, found: `${found} in the expression \`${where}\`` }] }
  }
  const { checked, checker, faults } = checkTree(parsed.tree, parsed.positions, scope, structs)
  const tree = checkResult(checked, parsed.tree, expectation, checker)
  const all = faults.length === 0 ? celFaults(text, scope, structs) : faults
  return { model: { text, tree }, faults: all.toSorted((left, right) => left.offset - right.offset) }
}
