/** Makes the user from the claims of a verified token, by the rules of its issuer. Texts are the reference's. */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { User } from "../../base/user.ts"
import { ListValue, type Result } from "../../../cel/index.ts"
import { type AccessExpression, evaluateAccess, EvaluationError } from "../../policies/access-expressions.ts"
import { accessCostPerTurn } from "../../policies/limits.ts"
import { nextTurn } from "../../base/turns.ts"
import { AuthenticationError } from "../authenticate.ts"
import type { ClaimSource, JwtAuthenticator, ValidationRule } from "./jwt-authenticator.ts"

/** Error for a token of this issuer that is not a valid credential. */
export function refusal(why: string): AuthenticationError {
  return new AuthenticationError(`oidc: ${why}`)
}

/** Throws AuthenticationError for claims that the issuer's configuration does not allow. */
export async function userOf(authenticator: JwtAuthenticator, claims: JsonObject): Promise<User> {
  const evaluation = new Evaluation()
  const { username, groups, uid } = authenticator
  const name = await nameOf(username, claims, evaluation)
  const groupNames = groups === undefined ? [] : await groupsOf(groups, claims, evaluation)
  const id = uid === undefined ? "" : await textOf(uid, { claims, evaluation, what: "uid" })
  const extra = await extraOf(authenticator, claims, evaluation)
  checkRequired(authenticator, claims)
  await check(authenticator.claimRules, { json: claims, evaluation, what: "claim validation expression" })
  const user = { name, groups: groupNames, extra, ...(id !== "" && { uid: id }) }
  const seen = { username: name, uid: id, groups: [...groupNames], extra: Object.fromEntries(Object.entries(extra).map(copied)) }
  await check(authenticator.userRules, { json: seen, evaluation, what: "user info validation rule" })
  return user
}

function copied([key, values]: readonly [string, readonly string[]]): readonly [string, string[]] {
  return [key, [...values]]
}

/** Evaluates the expressions of one token: each may cost much, so other requests get turns between them. */
class Evaluation {
  private cost = 0

  /** `what`: names the expression in the error. */
  async value(expression: AccessExpression, json: JsonObject, what: string): Promise<Result> {
    if (this.cost >= accessCostPerTurn) {
      this.cost = 0
      await nextTurn()
    }
    try {
      const { value, cost } = evaluateAccess(expression, json)
      this.cost += cost
      return value
    } catch (error) {
      if (error instanceof EvaluationError) throw refusal(`error evaluating ${what}: ${error.message}`)
      throw error
    }
  }
}

async function nameOf(source: ClaimSource, claims: JsonObject, evaluation: Evaluation): Promise<string> {
  const name = await textOf(source, { claims, evaluation, what: "username" })
  if ("expression" in source) {
    if (name === "") throw refusal("empty username via CEL expression is not allowed")
    return name
  }
  // The reference accepts an empty claim behind a prefix; a name that is empty altogether is refused here.
  if (source.prefix + name === "") throw refusal(`parse username claims ${JSON.stringify(source.claim)}: the name is empty`)
  if (source.claim === "email" && Object.hasOwn(claims, "email_verified")) {
    const verified = claims["email_verified"]
    if (typeof verified !== "boolean") throw refusal(`parse 'email_verified' claim: ${wrongType(verified, "bool")}`)
    if (!verified) throw refusal("email not verified")
  }
  return source.prefix + name
}

async function textOf(
  source: ClaimSource,
  { claims, evaluation, what }: { readonly claims: JsonObject; readonly evaluation: Evaluation; readonly what: "username" | "uid" },
): Promise<string> {
  if ("claim" in source) {
    const where = `parse ${what === "uid" ? "uid claim" : "username claims"} ${JSON.stringify(source.claim)}`
    if (!Object.hasOwn(claims, source.claim)) throw refusal(`${where}: claim not present`)
    const value = claims[source.claim]
    if (typeof value !== "string") throw refusal(`${where}: ${wrongType(value, "string")}`)
    return value
  }
  const value = await evaluation.value(source.expression, claims, `${what} claim expression`)
  if (typeof value !== "string") throw refusal(`error evaluating ${what} claim expression: ${what} claim expression must return a string`)
  return value
}

async function groupsOf(source: ClaimSource, claims: JsonObject, evaluation: Evaluation): Promise<readonly string[]> {
  if ("expression" in source)
    return textsOf(await evaluation.value(source.expression, claims, "group claim expression"), "group claim expression")
  const { claim, prefix } = source
  if (!Object.hasOwn(claims, claim)) return []
  const value = claims[claim]
  const groups: readonly JsonValue[] = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value]
  return groups.map((group) => {
    if (typeof group !== "string") throw refusal(`parse groups claim ${JSON.stringify(claim)}: ${wrongType(value, "string")}`)
    return prefix + group
  })
}

async function extraOf(
  { extra }: JwtAuthenticator,
  claims: JsonObject,
  evaluation: Evaluation,
): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {}
  // Bounded: the configuration has these expressions.
  for (const { key, expression } of extra) {
    const what = "extra claim expression"
    const values = textsOf(await evaluation.value(expression, claims, what), `${what}: ${expression.source}`)
    if (values.length > 0) found[key] = values
  }
  return found
}

/** A text or a list of texts, without empty ones. */
function textsOf(value: Result, what: string): readonly string[] {
  if (value === null || value === "") return []
  if (typeof value === "string") return [value]
  const items = value instanceof ListValue ? value.toArray() : undefined
  if (items === undefined || !items.every((item) => typeof item === "string"))
    throw refusal(`error evaluating ${what}: expression must return a string or a list of strings`)
  return items.filter((item) => item !== "")
}

function checkRequired({ requiredClaims }: JwtAuthenticator, claims: JsonObject): void {
  for (const [claim, wanted] of requiredClaims) {
    if (!Object.hasOwn(claims, claim)) throw refusal(`required claim ${claim} not present in ID token`)
    const value = claims[claim]
    if (typeof value !== "string") throw refusal(`parse claim ${claim}: ${wrongType(value, "string")}`)
    if (value !== wanted) throw refusal(`required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`)
  }
}

async function check(
  rules: readonly ValidationRule[],
  { json, evaluation, what }: { readonly json: JsonObject; readonly evaluation: Evaluation; readonly what: string },
): Promise<void> {
  // Bounded: the configuration has these expressions.
  for (const { expression, message } of rules) {
    const value = await evaluation.value(expression, json, what)
    if (value !== true) throw refusal(`error evaluating ${what}: validation expression '${expression.source}' failed: ${message}`)
  }
}

function wrongType(value: JsonValue | undefined, wanted: string): string {
  const found = Array.isArray(value) ? "array" : value === null || value === undefined ? "null" : typeof value
  return `json: cannot unmarshal ${found} into Go value of type ${wanted}`
}
