/** Decodes query parameters to an options object: PodLogOptions, PodExecOptions and the like. */
import { badRequest } from "../base/errors.ts"
import type { ApiObject, JsonValue } from "../base/json.ts"
import type { Scalar, TypeShape } from "../schema/shape.ts"
import { canonicalTime, TimeError } from "../base/time.ts"
import { booleanParameter, integerParameter } from "../http/request/query.ts"

/**
 * Returns the object that the parameters describe, by the fields of its type. Ignores unknown parameters. Throws 400
 * for values that do not have the field's type. The first value of a repeated parameter counts, unless the field is a
 * list.
 */
export function decodeOptions(query: URLSearchParams, shape: TypeShape): ApiObject {
  const options: ApiObject = {}
  for (const { name, type } of shape.fields) {
    if (name === "kind" || name === "apiVersion" || !query.has(name)) continue
    if ("scalar" in type) options[name] = scalarOf(query, name, type.scalar)
    if ("list" in type && "scalar" in type.list) options[name] = itemsOf(query, name, type.list.scalar)
  }
  return options
}

function itemsOf(query: URLSearchParams, name: string, scalar: Scalar): JsonValue[] {
  return query.getAll(name).map((value) => scalarOf(new URLSearchParams([[name, value]]), name, scalar))
}

function scalarOf(query: URLSearchParams, name: string, scalar: Scalar): JsonValue {
  switch (scalar) {
    case "boolean":
      return booleanParameter(query, name) ?? false
    case "int32":
    case "int64":
      return integerParameter(query, name) ?? 0
    case "Time":
      return timeOf(query.get(name) ?? "", name)
    default:
      return query.get(name) ?? ""
  }
}

/** Old clients send JSON's null for an absent time. */
function timeOf(text: string, name: string): string | null {
  if (text === "" || text === "null") return null
  try {
    return canonicalTime(text)
  } catch (error) {
    if (error instanceof TimeError) throw badRequest(`query parameter ${name}: ${error.message}`)
    throw error
  }
}
