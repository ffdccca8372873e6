/**
 * Unions: which member a value belongs to. No two members have the same JSON type, so the value itself decides. The
 * generator checks this for every union (`codegen/load/check-union.ts`).
 */
import { isObject, type JsonValue } from "../base/json.ts"

/** The JSON type of a member. */
export type JsonForm = "object" | "list" | "boolean" | "number" | "text"

/** Facts of a type that the passes over documents use, by their own names for it. */
interface Member {
  readonly node: { readonly operation: string }
  readonly pointer: boolean
}

const forms: Readonly<Record<string, JsonForm>> = {
  object: "object",
  map: "object",
  list: "list",
  wrappedList: "list",
  boolean: "boolean",
  string: "text",
  int32: "number",
  int64: "number",
  double: "number",
}

/**
 * The JSON type of the values of a type, by its word in a plan: a scalar, `object`, `list`, `map`, `wrappedList`.
 * Undefined for a type that cannot be a member.
 */
export function formOf(operation: string): JsonForm | undefined {
  return forms[operation]
}

/** Returns the member to which a value belongs; undefined for null and for a form that the union does not have. */
export function memberOf<M extends Member>(members: readonly M[], value: JsonValue): M | undefined {
  const form = formOfValue(value)
  return members.find(({ node }) => forms[node.operation] === form)
}

function formOfValue(value: JsonValue): JsonForm | undefined {
  if (Array.isArray(value)) return "list"
  switch (typeof value) {
    case "boolean":
      return "boolean"
    case "string":
      return "text"
    case "number":
    case "bigint":
      return "number"
    default:
      return isObject(value) ? "object" : undefined
  }
}

/** Whether protobuf has the member beside each of the others: a boolean, which says that there is a value. */
export function isFlag({ node, pointer }: Member): boolean {
  return node.operation === "boolean" && !pointer
}

/**
 * Value of an empty message, and of null as an item of a list or a value of a map: the empty list or map, otherwise the
 * zero value of the first member.
 */
export function emptyUnion(members: readonly Member[]): JsonValue {
  const empty = members.find(({ node }) => holdsMany(node.operation)) ?? members[0]
  switch (forms[empty?.node.operation ?? "object"]) {
    case "list":
      return []
    case "boolean":
      return false
    case "number":
      return 0
    case "text":
      return ""
    default:
      return {}
  }
}

/** Whether protobuf writes nothing for an empty value of the type: a list or a map. */
export function holdsMany(operation: string): boolean {
  return operation === "list" || operation === "map"
}
