/** Validation of the expressions of web hook configurations and policies: each has a path, and all share a limit. */
import { type Composition, compilePolicyExpression, type ExpressionRequest } from "../../policies/expressions.ts"
import { policyExpressionCharactersMax, policyExpressionsMax } from "../../policies/limits.ts"
import type { Failures } from "../../base/failure.ts"
import { type Stages, Turns } from "../../base/turns.ts"

/** An expression, its path, and the options to compile it with. */
export interface PlacedExpression extends Omit<ExpressionRequest, "age" | "variables"> {
  /** Path of the expression: `spec.validations[0].expression`. */
  readonly field: string
  readonly source: string
  /** Text that failures show for it. Absent: the source. */
  readonly shown?: string
  /** The variables that it sees as `variables`. Absent: none. */
  readonly composition?: Composition
  /** The expression defines a variable, which later expressions see under this name. */
  readonly variable?: string
}

/** Approximate work of compiling one expression, in microseconds. */
const compileWork = 1000

/** Compiles expressions in their order. `stored`: the stored object's texts, which may use what this release knows. */
export function* checkingExpressions(
  expressions: readonly PlacedExpression[],
  stored: ReadonlySet<string>,
  failures: Failures,
): Stages<void> {
  const turns = new Turns()
  for (const { field, source, shown = source, composition, variable, ...asked } of expressions) {
    if (failures.full) return
    const compiled = compilePolicyExpression(source, {
      ...asked,
      age: stored.has(source) ? "stored" : "new",
      ...(composition && { variables: composition.type }),
    })
    if ("fault" in compiled) {
      const type = compiled.internal === true ? "InternalError" : "Invalid"
      failures.add({ type, field, value: shown, detail: compiled.fault })
    }
    if (variable !== undefined) composition?.add(variable, compiled)
    if (turns.endsStage(compileWork)) yield
  }
}

/** Says which limit the expressions exceed together; undefined for almost all. Called before any is compiled. */
export function excessOf(expressions: readonly PlacedExpression[]): string | undefined {
  if (expressions.length > policyExpressionsMax)
    return `may have at most ${policyExpressionsMax} expressions, but has ${expressions.length}`
  let characters = 0
  for (const { source } of expressions) characters += source.length
  if (characters <= policyExpressionCharactersMax) return undefined
  return `the expressions may have at most ${policyExpressionCharactersMax} characters together, but have ${characters}`
}
