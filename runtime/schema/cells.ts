/**
 * Functions for the cells of Table columns (catalog tables.yaml, "functions"). Cell functions that no expression can
 * write live in `runtime/behaviours/cells/`; schemas call them as `behaviour("name")`.
 */
import { item, json, text, type Value } from "./expression.ts"
import { humanDuration } from "./human-duration.ts"
import { momentOf } from "./measures.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { CellContext } from "./kind.ts"
import { typed } from "./typed.ts"

/**
 * A named cell function for objects of the generated type `T`, in the version that the client asked for. Columns select
 * from its result: `behaviour("podStatus").reason`. Called once per row; pure.
 */
export type Cell<T extends object = ApiObject> = (object: T, context: CellContext) => JsonValue

interface LastCell {
  readonly object: ApiObject
  readonly context: CellContext
  readonly answer: JsonValue
}

const lastCells = new WeakMap<object, LastCell>()

/**
 * Returns the result of a named cell function for an object, computed once for all columns of a row. Called by
 * generated columns.
 */
export function cellOf<T extends object>(make: Cell<T>, object: ApiObject, context: CellContext): JsonValue {
  const last = lastCells.get(make)
  if (last?.object === object && last.context === context) return last.answer
  const answer = make(typed<T>(object), context)
  lastCells.set(make, { object, context, answer })
  return answer
}

/** The time that has passed since `value`: `5m`, `3h20m`, `12d`; `<unknown>` when it is absent or not a time. */
export function age(value: Value, nowMs: number): string {
  const then = typeof value === "string" ? Date.parse(value) : Number((momentOf(value)?.nanoseconds ?? Number.NaN).toString()) / 1e6
  return Number.isNaN(then) ? "<unknown>" : humanDuration(nowMs - then)
}

/** Labels as `k=v,k=v`, sorted by key; `<none>` when there are none. */
export function formatLabels(labels: Value): string {
  const parts = isObject(labels)
    ? Object.keys(labels)
        .sort()
        .map((key) => `${key}=${text(item(labels, key))}`)
    : []
  return parts.length === 0 ? "<none>" : parts.join(",")
}

/** A label selector as text; `<none>` when it is empty or absent, `<error>` when it has an unknown operator. */
export function formatSelector(selector: Value): string {
  const shown = requirements(selector)
  if (shown === undefined) return "<error>"
  return shown === "" ? "<none>" : shown
}

/** A label selector as text; "" when it is empty or absent, `<invalid>` when it has an unknown operator. */
export function selectorString(selector: Value): string {
  return requirements(selector) ?? "<invalid>"
}

/** Requirements sorted by key: `a=b,c in (d,e),!f`. Undefined for an unknown operator. */
function requirements(selector: Value): string | undefined {
  if (!isObject(selector)) return ""
  const { matchLabels, matchExpressions } = selector
  const labels = isObject(matchLabels) ? Object.entries(matchLabels).map(([key, value]) => ({ key, shown: `${key}=${text(value)}` })) : []
  const expressions = Array.isArray(matchExpressions)
    ? matchExpressions.filter(isObject).map((one) => ({ key: text(one.key), shown: requirement(one) }))
    : []
  const all = [...labels, ...expressions].toSorted((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0))
  return all.some((one) => one.shown === undefined) ? undefined : all.map((one) => one.shown).join(",")
}

function requirement({ key, operator, values }: JsonObject): string | undefined {
  const name = text(key)
  const list = Array.isArray(values) ? values.map(text).sort().join(",") : ""
  switch (operator) {
    case "In":
      return `${name} in (${list})`
    case "NotIn":
      return `${name} notin (${list})`
    case "Exists":
      return name
    case "DoesNotExist":
      return `!${name}`
    default:
      return undefined
  }
}

/**
 * The address of each entry of a load balancer status, or its host name where it has no address: unique, sorted, joined
 * with commas.
 */
export function lbAddresses(ingress: Value): string {
  const entries = Array.isArray(ingress) ? ingress.filter(isObject) : []
  const addresses = entries.map((one) => text(one.ip) || text(one.hostname)).filter((address) => address !== "")
  return [...new Set(addresses)].sort().join(",")
}

/** A creation time as the default columns show it: RFC 3339 in whole seconds, year 1 for an absent time. */
export function timeCell(value: Value): string {
  const milliseconds = typeof value === "string" ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? "0001-01-01T00:00:00Z" : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}

/** Returns the content of a cell for a value: the zero value of the column's type when it is absent. */
export function cell(value: Value, type: "string" | "integer" | "number" | "boolean" | "date"): JsonValue {
  const shown = json(value)
  if (shown !== undefined && shown !== null) return shown
  if (type === "integer" || type === "number") return 0
  return type === "boolean" ? false : ""
}

/**
 * The row conditions of a completed object, one for each way of completing that applies to it. Called by generated
 * columns.
 */
export function completedConditions(
  ends: readonly { readonly when: boolean; readonly reason: string; readonly message: string | (() => string) }[],
): JsonObject[] {
  return ends
    .filter(({ when }) => when)
    .map(({ reason, message }) => ({
      type: "Completed",
      status: "True",
      reason,
      message: typeof message === "string" ? message : message(),
    }))
}
