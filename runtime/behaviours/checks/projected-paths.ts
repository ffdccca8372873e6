/**
 * The sources of a projected volume must not create the same file twice (catalog validation.yaml: Volume,
 * `projected.sources`).
 */
import { defineCheck } from "../../schema/define.ts"
import type { ProjectedVolumeSource, VolumeProjection } from "../../../generated/core/v1/shared/volumes/types.ts"

/** Called for each projected volume. */
export const projectedPaths = defineCheck<ProjectedVolumeSource>((projected, context) => {
  const seen = new Set<string>()
  for (const source of projected.sources ?? []) {
    for (const [path, shown] of pathsOf(source)) {
      if (path !== "" && seen.has(path)) context.fail("Invalid", shown, "conflicting duplicate paths")
      seen.add(path)
    }
  }
})

/** Each path, and the value shown when it is taken: the object that the file is of, or the path itself. */
function pathsOf(projection: VolumeProjection): readonly (readonly [path: string, shown: string])[] {
  const { clusterTrustBundle, configMap, downwardAPI, secret, serviceAccountToken } = projection
  const ofObjects = [secret, configMap].flatMap((object) => (object?.items ?? []).map(({ path }) => [path, object?.name ?? ""] as const))
  const files = [serviceAccountToken, clusterTrustBundle].filter((file) => file !== undefined)
  return [...ofObjects, ...[...(downwardAPI?.items ?? []), ...files].map(({ path }) => [path, path] as const)]
}
