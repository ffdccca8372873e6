/** Fields of custom objects that field selectors may name: `selectableFields` of a version. */
import type { Failures } from "../../base/failure.ts"
import type { VersionParts } from "./definition-spec.ts"
import { findField } from "../field-path.ts"
import { stepIntoProps } from "./schema-props.ts"
import { unreadable } from "./structure.ts"

const selectableFieldsMax = 8
const selectableTypes = new Set(["string", "boolean", "integer"])

/**
 * Why a definition without a schema has no selectable fields; the first text is the reference's, including its mistake.
 */
const withoutSchema = {
  version: "selectableFields may only be set when version.schema.openAPIV3Schema is not included",
  definition: "selectableFields may only be set when validations.schema is included",
}

/**
 * `path`: path of the version, or `spec` if all versions share the fields. `prefix`: the vendor's `extensionPrefix`.
 */
export function checkSelectableFields(
  { selectableFields, schema }: VersionParts,
  path: string,
  of: "version" | "definition",
  prefix: string,
  failures: Failures,
): void {
  if (selectableFields.length === 0) return
  const list = `${path}.selectableFields`
  if (schema === undefined) return failures.add({ type: "Invalid", field: list, value: "", detail: withoutSchema[of] })
  const fault = unreadable(schema, prefix)
  if (fault !== undefined) return failures.add({ type: "Invalid", field: `${path}.schema.openAPIV3Schema`, value: "", detail: fault })
  const seen = new Set<string>()
  for (const [index, value] of selectableFields.entries()) {
    if (failures.full) return
    const field = `${list}[${index}].jsonPath`
    if (value === "") {
      failures.add({ type: "Required", field, detail: "" })
      continue
    }
    const invalid = (detail: string): void => failures.add({ type: "Invalid", field, value, detail })
    const found = findField(value, schema, false, stepIntoProps)
    if ("fault" in found) {
      invalid(`is an invalid path: ${found.fault}`)
      continue
    }
    if (found.root === "metadata") invalid("must not point to fields in metadata")
    if (!selectableTypes.has(found.schema?.type ?? "")) {
      invalid("must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
    }
    if (seen.has(found.path)) failures.add({ type: "Duplicate", field, value, detail: "" })
    seen.add(found.path)
  }
  if (seen.size <= selectableFieldsMax) return
  failures.add({ type: "TooMany", field: list, value: seen.size, detail: `must have at most ${selectableFieldsMax} items` })
}
