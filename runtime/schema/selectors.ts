/** Label selectors as objects hold them, for expressions and checks. */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { Value } from "./expression.ts"
import { labelValueFaults, qualifiedNameFaults } from "./names.ts"

/**
 * `matchesSelector(selector, labels)`: whether labels meet every requirement of a selector. An absent selector matches
 * nothing, an empty one everything; a requirement with an unknown operator is not met.
 */
export function matchesSelector(selector: Value, labels: Value): boolean {
  if (!isObject(selector)) return false
  const { matchExpressions, matchLabels } = selector
  const found: JsonObject = isObject(labels) ? labels : {}
  return (
    (!isObject(matchLabels) || Object.keys(matchLabels).every((key) => own(found, key) === matchLabels[key])) &&
    (!Array.isArray(matchExpressions) || matchExpressions.every((one) => isObject(one) && isMet(one, found)))
  )
}

function isMet({ key, operator, values }: JsonObject, labels: JsonObject): boolean {
  const value = typeof key === "string" ? own(labels, key) : undefined
  const listed: readonly JsonValue[] = Array.isArray(values) ? values : []
  if (operator === "In") return value !== undefined && listed.includes(value)
  if (operator === "NotIn") return value === undefined || !listed.includes(value)
  if (operator === "Exists") return value !== undefined
  return operator === "DoesNotExist" && value === undefined
}

function own(labels: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

/**
 * `isSelector(selector)`: whether a selector can be evaluated: its keys and values are valid for labels, its operators
 * are known and have the values that they need. An absent selector can.
 */
export function isSelector(selector: Value): boolean {
  if (!isObject(selector)) return true
  const { matchExpressions, matchLabels } = selector
  return (
    (!isObject(matchLabels) || Object.keys(matchLabels).every((key) => isLabel(key, [matchLabels[key]]))) &&
    (!Array.isArray(matchExpressions) || matchExpressions.every((one) => isObject(one) && isRequirement(one)))
  )
}

function isRequirement({ key, operator, values }: JsonObject): boolean {
  const listed: readonly JsonValue[] = Array.isArray(values) ? values : []
  const takesValues = operator === "In" || operator === "NotIn"
  if (!takesValues && operator !== "Exists" && operator !== "DoesNotExist") return false
  return listed.length > 0 === takesValues && isLabel(key, listed)
}

function isLabel(key: JsonValue | undefined, values: readonly (JsonValue | undefined)[]): boolean {
  if (qualifiedNameFaults(String(key ?? "")).length > 0) return false
  return values.every((value) => labelValueFaults(String(value ?? "")).length === 0)
}
