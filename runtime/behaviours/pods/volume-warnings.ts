/** Warnings about volumes: sources that go away, and projected files that hide each other (catalog validation.yaml: Pod, warnings). */
import type { JsonObject } from "../../kit/json.ts"
import type { Vendor } from "../../vendor.ts"
import { listOf, objectAt, textOf } from "./fields.ts"

const fading: Readonly<Record<string, string>> = {
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

/** Called with a pod spec that stands at `path`. */
export function volumeWarnings(spec: JsonObject, path: string, vendor: Vendor): string[] {
  return listOf(spec, "volumes").flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`
    const sources = Object.entries(fading).flatMap(([source, fate]) => (volume[source] === undefined ? [] : [`${at}.${source}: ${fate}`]))
    return [...sources, ...claimWarnings(volume, at, vendor), ...tokenWarnings(volume, at)]
  })
}

function claimWarnings(volume: JsonObject, at: string, vendor: Vendor): string[] {
  const annotation = vendor.domain("volume.beta.orch.io/storage-class")
  if (objectAt(volume, "ephemeral", "volumeClaimTemplate", "metadata", "annotations")?.[annotation] === undefined) return []
  return [
    `${at}.ephemeral.volumeClaimTemplate.metadata.annotations[${annotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
  ]
}

/** A token file below or above another file of the volume: one of the two cannot be made. */
function tokenWarnings(volume: JsonObject, at: string): string[] {
  const files = listOf(volume["projected"], "sources").flatMap((source, index) =>
    filesOf(source).map(({ path, isToken }) => ({ path, isToken, place: `${at}.projected.sources[${index}]` })),
  )
  return files.flatMap((file, index) =>
    files.slice(0, index).flatMap((other) => {
      const overlaps = file.path.startsWith(`${other.path}/`) || other.path.startsWith(`${file.path}/`)
      return overlaps && (file.isToken || other.isToken)
        ? [`${file.place}: overlapping path "${file.path}" with "${other.path}" of ${other.place}`]
        : []
    }),
  )
}

function filesOf(source: JsonObject): readonly { readonly path: string; readonly isToken: boolean }[] {
  const items = ["secret", "configMap", "downwardAPI"].flatMap((name) => listOf(source[name], "items"))
  const token = objectAt(source, "serviceAccountToken")
  return [
    ...items.map((item) => ({ path: textOf(item, "path"), isToken: false })),
    ...(token === undefined ? [] : [{ path: textOf(token, "path"), isToken: true }]),
  ]
}
