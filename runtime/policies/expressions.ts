/** Compiles the expressions of admission policies and of the match conditions of admission web hooks. */
import { type CelType, type CheckedTree, dynType, Environment, optionalLibrary, type Program } from "../../cel/index.ts"
import { latestMinor, librariesOf, newExpressionsMinor } from "../../cel/libraries/index.ts"
import { compositionType, type VariableChoice, variablesOf } from "./variables.ts"

/**
 * Whether an expression is being written or was stored before. A new expression may use only features that the previous
 * release knows, so that a server can be downgraded.
 */
export type ExpressionAge = "new" | "stored"

export type PolicyExpression =
  | { readonly program: Program; readonly type: CelType; readonly ast: CheckedTree }
  /** Why it does not compile. `internal`: the types are correct, but no program can be made of it. */
  | { readonly fault: string; readonly internal?: true }

const minors: Readonly<Record<ExpressionAge, number>> = { new: newExpressionsMinor, stored: latestMinor }
const environments = new Map<string, Environment>()

/** Caches an environment per choice of variables: building one indexes its declarations. */
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
  /** Allowed types of the result. A type that is known only at a request matches none. Absent: any. */
  readonly results?: readonly ("bool" | "null_type" | "string")[]
  /** The type of `variables`. Absent: there is no such variable. */
  readonly variables?: CelType
}

/** Compiles one expression. Called when it is written, and once for each expression that judges requests. */
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

/** The variables of a policy in their order: each can use the variables before it. */
export class Composition {
  private readonly fields = new Map<string, CelType>()
  private known: CelType | undefined

  /** The type of `variables` now. */
  get type(): CelType {
    this.known ??= compositionType(this.fields)
    return this.known
  }

  /** Adds a variable. One that does not compile has the type dyn, so that expressions that use it are checked too. */
  add(name: string, compiled: PolicyExpression): void {
    this.fields.set(name, "fault" in compiled ? dynType : composed(compiled.type))
    this.known = undefined
  }
}

const simpleKinds: ReadonlySet<string> = new Set("any bool bytes double duration int null string timestamp uint list map".split(" "))

/** As in the reference, the fields of a variable with an object's type are unknown. */
function composed(type: CelType): CelType {
  if (!simpleKinds.has(type.kind)) return dynType
  return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(composed) }
}
