/** Compiles the expressions of admission policies and of the match conditions of admission web hooks. */
import { type CelType, type CheckedTree, dynType, Environment, optionalLibrary, type Program } from "../../cel/index.ts"
import { latestMinor, librariesOf, newExpressionsMinor } from "../../cel/libraries/index.ts"
import { compositionType, type VariableChoice, variablesOf } from "./variables.ts"

/**
 * Whether an expression is written now or stored already. A new one may use what the release before knows, so that a
 * server can be put back to it.
 */
export type ExpressionAge = "new" | "stored"

export type PolicyExpression =
  | { readonly program: Program; readonly type: CelType; readonly ast: CheckedTree }
  /** Why it does not compile. `internal`: the types are right, but no program can be made of it. */
  | { readonly fault: string; readonly internal?: true }

const minors: Readonly<Record<ExpressionAge, number>> = { new: newExpressionsMinor, stored: latestMinor }
const environments = new Map<string, Environment>()

/** Made once for each choice of variables: an environment indexes its declarations. */
function environmentOf(age: ExpressionAge, choice: VariableChoice): Environment {
  const key = `${age} ${choice.params} ${choice.authorizer}`
  let environment = environments.get(key)
  if (environment === undefined) {
    environment = new Environment({ libraries: [optionalLibrary, ...librariesOf(minors[age])], variables: variablesOf(choice) })
    environments.set(key, environment)
  }
  return environment
}

export interface ExpressionRequest extends VariableChoice {
  readonly age: ExpressionAge
  /** Types that the result may have. One that is known only at a request fits none. Absent: any. */
  readonly results?: readonly ("bool" | "null_type" | "string")[]
  /** The type of `variables`. Absent: there is no such variable. */
  readonly variables?: CelType
}

/** Compiles one expression. Called when it is written, and once for those that requests are judged by. */
export function compilePolicyExpression(source: string, request: ExpressionRequest): PolicyExpression {
  const { age, results, variables } = request
  const environment = environmentOf(age, request)
  const compiled = compiledIn(variables === undefined ? environment : environment.extend({ variables: { variables } }), source)
  if ("fault" in compiled || results === undefined || results.some((name) => name === compiled.type.name)) return compiled
  return { fault: `must evaluate to ${results.length === 1 ? results.join() : `one of [${results.join(" ")}]`}` }
}

/** Compiles an expression whose result may be of any type. */
export function compiledIn(environment: Environment, source: string): PolicyExpression {
  const compiled = environment.compile(source)
  if ("issues" in compiled) return { fault: `compilation failed: ${compiled.issues.text}` }
  if ("fault" in compiled) return { fault: `program instantiation failed: ${compiled.fault}`, internal: true }
  return compiled
}

/** The variables of a policy in their order: each sees those before it. */
export class Composition {
  private readonly fields = new Map<string, CelType>()
  private known: CelType | undefined

  /** The type of `variables` now. */
  get type(): CelType {
    this.known ??= compositionType(this.fields)
    return this.known
  }

  /** Adds a variable. Of one that does not compile nothing is known, so that others which use it are checked too. */
  add(name: string, compiled: PolicyExpression): void {
    this.fields.set(name, "fault" in compiled ? dynType : composed(compiled.type))
    this.known = undefined
  }
}

const simpleKinds: ReadonlySet<string> = new Set("any bool bytes double duration int null string timestamp uint list map".split(" "))

/** As in the reference, the fields of a variable of an object's type are unknown. */
function composed(type: CelType): CelType {
  if (!simpleKinds.has(type.kind)) return dynType
  return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(composed) }
}
