/** The environment in which rules are compiled: the language with the libraries of the API server. */
import { type CelType, Environment, optionalLibrary, type Program } from "../../../cel/index.ts"
import { latestMinor, librariesOf, newExpressionsMinor } from "../../../cel/libraries/index.ts"
import { sizeEstimatorOf } from "../../../cel/schema/size-estimator.ts"

/**
 * Whether an expression is being written or was stored before. A new expression may use only features that the previous
 * release knows, so that a server can be downgraded.
 */
export type ExpressionAge = "new" | "stored"

export type Compilation =
  | {
      readonly program: Program
      readonly type: CelType
      readonly usesOldSelf: boolean
      /** Estimates the maximum cost of one evaluation. */
      readonly maxCost: () => bigint
    }
  /** Why compilation failed: `compilation failed: ERROR: <input>:1:5: ...`. */
  | { readonly fault: string }

const minors: Readonly<Record<ExpressionAge, number>> = { new: newExpressionsMinor, stored: latestMinor }
const environments = new Map<ExpressionAge, Environment>()

function environmentOf(age: ExpressionAge): Environment {
  let environment = environments.get(age)
  if (environment === undefined) {
    environment = new Environment({ libraries: [optionalLibrary, ...librariesOf(minors[age])] })
    environments.set(age, environment)
  }
  return environment
}

/** Compiles one expression over a value and the old one, of the types in `variables`. */
export function compileExpression(
  source: string,
  variables: { readonly self: CelType; readonly oldSelf: CelType },
  age: ExpressionAge,
): Compilation {
  const compiled = environmentOf(age).extend({ variables }).compile(source)
  if ("issues" in compiled) return { fault: `compilation failed: ${compiled.issues.text}` }
  if ("fault" in compiled) return { fault: `program instantiation failed: ${compiled.fault}` }
  const { program, type, ast } = compiled
  const maxCost = (): bigint => compiled.estimate({ size: sizeEstimatorOf(variables.self) }).max
  return { program, type, usesOldSelf: ast.variables.has("oldSelf"), maxCost }
}
