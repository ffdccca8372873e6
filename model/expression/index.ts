/** Expressions: from a text to a checked tree. The generator uses it for schemas. */
import type { ExpressionModel } from "../model.ts"
import { checkTree } from "./check.ts"
import type { CheckFault, ExpressionScope, StructSource } from "./checked.ts"
import { checkResult, type Expectation } from "./expect.ts"
import { parseExpression } from "./read.ts"

export type { Expectation } from "./expect.ts"

/** An expression that was read: absent when it does not parse; with faults it must not be used. */
export interface ReadExpression {
  readonly model?: ExpressionModel
  readonly faults: readonly CheckFault[]
}

const shownMax = 60

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
  return { model: { text, tree }, faults: faults.toSorted((left, right) => left.offset - right.offset) }
}
