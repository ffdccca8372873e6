/** Faults that keep a stored definition's schemas from being structural, for its condition NonStructuralSchema. */
import { failureText } from "../../base/errors.ts"
import type { Failure } from "../../base/failure.ts"
import { isObject } from "../../base/json.ts"
import { readSpec } from "./definition-spec.ts"
import { structuralFailures, unreadable } from "./structure.ts"

/** The content of the condition while it is True. */
export interface NonStructural {
  readonly reason: "Violations" | "StructuralError"
  readonly message: string
}

/**
 * Returns why a definition is not structural; undefined for almost every one, which then has no such condition.
 * `prefix`: the vendor's `extensionPrefix`.
 */
export function nonStructuralOf(definition: object, prefix: string): NonStructural | undefined {
  const spec = readSpec(isObject(definition) ? definition : {}, prefix)
  const failures: Failure[] = []
  if (spec.preserveUnknownFields === true) {
    failures.push({ type: "Invalid", field: "spec.preserveUnknownFields", value: true, detail: "must be false" })
  }
  for (const [index, version] of spec.versions.entries()) {
    const schema = version.schema ?? spec.shared.schema
    if (schema === undefined) continue
    const fault = unreadable(schema, prefix)
    if (fault !== undefined) {
      return { reason: "StructuralError", message: `failed to check validation schema for version ${version.name}: ${fault}` }
    }
    failures.push(...structuralFailures(schema, `spec.versions[${index}].schema.openAPIV3Schema`, prefix))
  }
  const texts = [...new Set(failures.map((failure) => `${failure.field}: ${failureText(failure)}`))]
  if (texts.length === 0) return undefined
  return { reason: "Violations", message: texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]` }
}
