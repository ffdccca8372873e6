/**
 * Expressions of AuthenticationConfiguration and AuthorizationConfiguration: their variables, compilation and
 * evaluation. Names, types and texts are as in kube-apiserver 1.30.
 */
import {
  type CelType,
  anyType,
  Environment,
  type Expr,
  formatType,
  isError,
  mapType,
  listType,
  optionalLibrary,
  stringType,
  type Value,
} from "../../cel/index.ts"
import { latestMinor, librariesOf } from "../../cel/libraries/index.ts"
import { readPlain } from "../../cel/schema/json-value.ts"
import type { JsonObject } from "../base/json.ts"
import { compiledIn, type PolicyExpression } from "./expressions.ts"
import { accessCostMax } from "./limits.ts"
import { struct, userInfo } from "./variables.ts"

/** The variable of an expression: the claims of a token, the user made of them, or the request to authorize. */
export type AccessVariable = "claims" | "user" | "request"

const texts = listType(stringType)

const types: Readonly<Record<AccessVariable, CelType>> = {
  claims: mapType(stringType, anyType),
  user: userInfo,
  request: struct("kubernetes.SubjectAccessReviewSpec", {
    resourceAttributes: struct("kubernetes.ResourceAttributes", {
      namespace: stringType,
      verb: stringType,
      group: stringType,
      version: stringType,
      resource: stringType,
      subresource: stringType,
      name: stringType,
    }),
    nonResourceAttributes: struct("kubernetes.NonResourceAttributes", { path: stringType, verb: stringType }),
    user: stringType,
    groups: texts,
    extra: mapType(stringType, texts),
    uid: stringType,
  }),
}

const environments = new Map<AccessVariable, Environment>()

function environmentOf(variable: AccessVariable): Environment {
  let environment = environments.get(variable)
  if (environment === undefined) {
    const libraries = [optionalLibrary, ...librariesOf(latestMinor)]
    environment = new Environment({ libraries, variables: { [variable]: types[variable] } })
    environments.set(variable, environment)
  }
  return environment
}

/** A compiled expression that sees one variable. */
export interface AccessExpression {
  readonly source: string
  readonly variable: AccessVariable
  readonly compiled: Exclude<PolicyExpression, { readonly fault: string }>
}

export type AccessFault = Extract<PolicyExpression, { readonly fault: string }>

/** Compiles an expression of any type. Called at the start, and when a configuration has changed. */
export function compileAccess(variable: AccessVariable, source: string): AccessExpression | AccessFault {
  const compiled = compiledIn(environmentOf(variable), source)
  return "fault" in compiled ? compiled : { source, variable, compiled }
}

/** As `compileAccess`, for a condition, whose type must be bool. */
export function compileCondition(variable: AccessVariable, source: string): AccessExpression | AccessFault {
  const expression = compileAccess(variable, source)
  if ("fault" in expression || expression.compiled.type.name === "bool") return expression
  // The reference reports the actual type only for `request`.
  const found = variable === "request" ? ` but got ${formatType(expression.compiled.type)}` : ""
  return { fault: `must evaluate to bool${found}` }
}

/** An expression could not be evaluated. The message contains its source. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "EvaluationError"
  }
}

export interface Evaluated {
  readonly value: Value
  readonly cost: number
}

/** Evaluates an expression. `json` is its variable. Throws EvaluationError. */
export function evaluateAccess({ source, variable, compiled }: AccessExpression, json: JsonObject): Evaluated {
  const given = readPlain(json)
  if (isError(given)) throw new EvaluationError(given.message)
  const { value, cost, work } = compiled.program.evaluate({ [variable]: given }, { costLimit: accessCostMax })
  if (isError(value)) throw new EvaluationError(`expression '${source}' resulted in error: ${value.message}`)
  return { value, cost: cost + work }
}

/** Whether an expression reads `claims.<field>`, also by `claims.?<field>` and `has`. */
export function readsClaim({ compiled }: AccessExpression, field: string): boolean {
  return reads(compiled.ast.expr, field)
}

function reads(expr: Expr, field: string): boolean {
  const among = (parts: readonly (Expr | undefined)[]): boolean => parts.some((part) => part !== undefined && reads(part, field))
  switch (expr.kind) {
    case "select":
      return (isClaims(expr.operand) && expr.field === field) || reads(expr.operand, field)
    case "call":
      return (expr.function === "_?._" && isClaims(expr.args[0]) && isText(expr.args[1], field)) || among([expr.target, ...expr.args])
    case "list":
      return among(expr.elements)
    case "map":
      return among(expr.entries.flatMap(({ key, value }) => [key, value]))
    case "struct":
      return among(expr.entries.map(({ value }) => value))
    case "fold":
      return among([expr.range, expr.init, expr.condition, expr.step, expr.result])
    default:
      return false
  }
}

function isClaims(expr: Expr | undefined): boolean {
  return expr?.kind === "ident" && expr.name === "claims"
}

function isText(expr: Expr | undefined, text: string): boolean {
  return expr?.kind === "constant" && expr.constant.type === "string" && expr.constant.value === text
}
