/** Where rules are compiled: the language with the libraries of the API server. */
import type { CelType, Compiled, Environment, Program } from "../../../cel/index.ts"
import { createEnvironment } from "../../../cel/index.ts"
import { latestMinor, librariesOf, newExpressionsMinor } from "../../../cel/libraries/index.ts"
import { sizeEstimatorOf } from "../../../cel/schema/size-estimator.ts"

/**
 * Whether an expression is written now or stored already. A new one may use what the release before knows, so that a
 * server can be put back to it.
 */
export type ExpressionAge = "new" | "stored"

export type Compilation =
  | {
      readonly program: Program
      readonly type: CelType
      readonly usesOldSelf: boolean
      /** The largest cost of one evaluation. */
      readonly maxCost: bigint
    }
  | { readonly issues: string }

const minors: Readonly<Record<ExpressionAge, number>> = { new: newExpressionsMinor, stored: latestMinor }
const environments = new Map<ExpressionAge, Environment>()

function environmentOf(age: ExpressionAge): Environment {
  let environment = environments.get(age)
  if (environment === undefined) {
    environment = createEnvironment({ libraries: librariesOf(minors[age]) })
    environments.set(age, environment)
  }
  return environment
}

/** Compiles one expression. `variables`: of type `self`, and the old value. */
export function compileExpression(source: string, variables: { self: CelType; oldSelf: CelType }, age: ExpressionAge): Compilation {
  const environment = environmentOf(age).extend({ variables })
  const compiled: Compiled | { issues: { text: string } } = environment.compile(source)
  if ("issues" in compiled) return { issues: compiled.issues.text }
  const { program, type, ast } = compiled
  const { max } = environment.estimateCost(ast, { size: sizeEstimatorOf(variables.self) })
  return { program, type, usesOldSelf: ast.variables.has("oldSelf"), maxCost: max }
}
