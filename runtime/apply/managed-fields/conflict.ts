/** The error of an apply that would change fields of other managers. */
import { ApiError, type StatusCause } from "../../base/errors.ts"
import { type FieldSet, memberCount, pathsOf, pathText } from "../ownership/field-set.ts"
import { conflictCausesMax } from "../../base/limits.ts"
import { compareTexts, type Manager } from "./entry.ts"

/** Fields that one manager would lose. Never empty. */
export interface Conflict {
  readonly owner: Manager
  readonly fields: FieldSet
}

/**
 * Returns a 409 with one cause per field and manager, sorted by manager. Lists the first `conflictCausesMax` causes and
 * gives the total. The text begins with the reference's, which clients show and match; a last line says what can be
 * done. `conflicts` is not empty.
 */
export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes: StatusCause[] = []
  const lines: string[] = []
  let count = 0
  for (const { owner, fields } of [...conflicts].sort(byManager)) {
    count += memberCount(fields)
    if (causes.length >= conflictCausesMax) continue
    const name = ownerText(owner)
    lines.push(`conflicts with ${name}:`)
    for (const path of pathsOf(fields, conflictCausesMax - causes.length)) {
      const field = pathText(path)
      causes.push({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field })
      lines.push(`- ${field}`)
    }
  }
  if (count > causes.length) lines.push(`and ${count - causes.length} more`)
  const [only] = causes
  const all = only !== undefined && count === 1 ? `1 conflict: ${only.message}: ${only.field}` : `${count} conflicts: ${lines.join("\n")}`
  return new ApiError(409, "Conflict", `Apply failed with ${all}\n${fix}`, { causes })
}

const fix = "Leave these fields out, apply the values that they have, or take them over with force=true."

/**
 * `"kubectl" with subresource "status" using apps/v1`. An applier is the same in every version, so its version is
 * omitted.
 */
function ownerText({ manager, operation, apiVersion, subresource }: Manager): string {
  const through = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${through}${operation === "Update" ? ` using ${apiVersion}` : ""}`
}

function byManager({ owner: left }: Conflict, { owner: right }: Conflict): number {
  return (
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.operation, right.operation) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}
