/**
 * The sources of a projected volume must not create the same file twice (catalog validation.yaml: Volume,
 * `projected.sources`).
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, objectAt, textOf } from "../pods/fields.ts"

/** Called for each projected volume. */
export function projectedPaths(projected: JsonValue, context: CheckContext): void {
  const seen = new Set<string>()
  for (const [index, source] of listOf(projected, "sources").entries()) {
    for (const path of pathsOf(source)) {
      if (path !== "" && seen.has(path)) context.fail("Invalid", path, "conflicting duplicate paths", `sources[${index}]`)
      seen.add(path)
    }
  }
}

function pathsOf(source: JsonObject): readonly string[] {
  const items = ["secret", "configMap", "downwardAPI"].flatMap((name) => listOf(source[name], "items"))
  const files = [objectAt(source, "serviceAccountToken"), objectAt(source, "clusterTrustBundle")].filter((file) => file !== undefined)
  return [...items, ...files].map((file) => textOf(file, "path"))
}
