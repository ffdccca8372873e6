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

/** One for all expressions of the same schemas. */
function compilerOf(structs: StructSource): DialectCompiler {
  const known = compilers.get(structs) ?? new DialectCompiler(structs)
  compilers.set(structs, known)
  return known
}

/** Called for each expression of a schema. Pure. Faults have offsets into `text`, sorted by them. */
export function readExpression(text: string, scope: ExpressionScope, structs: StructSource, expectation: Expectation): ReadExpression {
  const parsed = parseExpression(text)
  if ("fault" in parsed) {
    const { found, ...fault } = parsed.fault
    const where = text.length > shownMax ? `${text.slice(0, shownMax - 3)}...` : text
    return { faults: [{ ...fault, found: `${found} in the expression \`${where}\`` }] }
  }
  const { tree: written, positions } = parsed
  const typed = compilerOf(structs).check(text, written, positions, scope)
  const { checked, checker, faults } = checkTree(written, positions, scope, structs, typed)
  const tree = checkResult(checked, written, expectation, checker)
  const unsaid = typed.issues.map((issue) => ({ offset: offsetOf(text, issue), found: issue.message, expected: "an expression of CEL" }))
  const all = faults.length === 0 ? unsaid : faults
  return { model: { text, tree }, faults: all.toSorted((left, right) => left.offset - right.offset) }
}
