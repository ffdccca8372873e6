/**
 * The sources of a projected volume must not create the same file twice (catalog validation.yaml: Volume,
 * `projected.sources`).
 */
import { defineCheck } from "../../schema/define.ts"
import type { ProjectedVolumeSource, VolumeProjection } from "../../../generated/core/v1/shared/volumes/types.ts"

/** Called for each projected volume. */
export const projectedPaths = defineCheck<ProjectedVolumeSource>((projected, context) => {
  const seen = new Set<string>()
  for (const [index, source] of (projected.sources ?? []).entries()) {
    for (const path of pathsOf(source)) {
      if (path !== "" && seen.has(path)) context.fail("Invalid", path, "conflicting duplicate paths", `sources[${index}]`)
      seen.add(path)
    }
  }
})

function pathsOf({ clusterTrustBundle, configMap, downwardAPI, secret, serviceAccountToken }: VolumeProjection): readonly string[] {
  const items = [...(secret?.items ?? []), ...(configMap?.items ?? []), ...(downwardAPI?.items ?? [])]
  const files = [serviceAccountToken, clusterTrustBundle].filter((file) => file !== undefined)
  return [...items, ...files].map(({ path }) => path)
}
