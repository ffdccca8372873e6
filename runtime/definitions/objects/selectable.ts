/**
 * Custom-object fields for field selectors (gate CustomResourceFieldSelectors). Rules are as in apiextensions-apiserver
 * (pkg/registry/customresource/strategy.go).
 */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { SelectableField } from "../../schema/kind.ts"
import { goPlain } from "../../base/go-text.ts"
import { PathFault, valuesAt } from "./jsonpath/evaluate.ts"
import { parsePath } from "./jsonpath/parse.ts"
import { PathSyntaxError, type Steps } from "./jsonpath/path.ts"

/**
 * The selectable fields of a definition's version, besides the metadata fields. `declared`: the stored
 * `selectableFields`; paths that cannot be parsed are omitted. A field's name is its path without the leading dot.
 */
export function selectableFieldsOf(declared: JsonValue | undefined): readonly SelectableField[] {
  return Array.isArray(declared) ? declared.filter(isObject).flatMap(fieldsOf) : []
}

function fieldsOf({ jsonPath }: JsonObject): SelectableField[] {
  if (typeof jsonPath !== "string") return []
  try {
    const steps = parsePath(jsonPath)
    return [{ name: jsonPath.startsWith(".") ? jsonPath.slice(1) : jsonPath, value: (stored) => textAt(steps, stored) }]
  } catch (error) {
    if (error instanceof PathSyntaxError) return []
    throw error
  }
}

/** "" for an absent value, for null, and for several values. */
function textAt(steps: Steps, object: ApiObject): string {
  try {
    const [value, more] = valuesAt(steps, object)
    return value === undefined || value === null || more !== undefined ? "" : goPlain(value)
  } catch (error) {
    if (error instanceof PathFault) return ""
    throw error
  }
}
