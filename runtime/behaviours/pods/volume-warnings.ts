/** Warnings about volumes: old sources, and claims of no whole bytes (catalog validation.yaml: Pod, warnings). */
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { Volume } from "../../../generated/core/v1/shared/volumes/types.ts"
import { claimWarnings } from "../content/claim-warnings.ts"

/** Sources of volumes that are deprecated, with the text of the warning, in the order of the reference. */
export const fading: { readonly [Source in keyof Volume]?: string } = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
}

/** Called with the pod spec at field path `path`. */
export function volumeWarnings(spec: PodSpec, path: string): string[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`
    const sources = sourcesOf(volume).flatMap((source) =>
      fading[source] === undefined ? [] : [`${at}.${shownSource(source)}: ${fading[source]}`],
    )
    const template = volume.ephemeral?.volumeClaimTemplate
    return template === undefined ? sources : [...sources, ...claimWarnings(template.spec, `${at}.ephemeral.volumeClaimTemplate.spec`)]
  })
}

/** The name of a source in warnings: the name of its field, with one exception. */
export function shownSource(source: string): string {
  return source === "storageos" ? "storageOS" : source
}

function sourcesOf(volume: Volume): readonly (keyof Volume)[] {
  const sources: (keyof Volume)[] = []
  let source: keyof Volume
  for (source in fading) if (volume[source] !== undefined) sources.push(source)
  return sources
}
