/**
 * Warnings about volumes: deprecated sources, and projected files that hide each other (catalog validation.yaml: Pod,
 * warnings).
 */
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { Volume, VolumeProjection } from "../../../generated/core/v1/shared/volumes/types.ts"
import { podWarningsMax } from "../../base/limits.ts"
import type { Vendor } from "../../base/vendor.ts"

/** Sources of volumes that are deprecated, with the text of the warning. */
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
export function volumeWarnings(spec: PodSpec, path: string, vendor: Vendor): string[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`
    const sources = sourcesOf(volume).flatMap((source) =>
      fading[source] === undefined ? [] : [`${at}.${shownSource(source)}: ${fading[source]}`],
    )
    return [...sources, ...claimWarnings(volume, at, vendor), ...tokenWarnings(volume, at)]
  })
}

/** The name of a source in warnings: that of its field, but for one. */
export function shownSource(source: string): string {
  return source === "storageos" ? "storageOS" : source
}

function sourcesOf(volume: Volume): readonly (keyof Volume)[] {
  const sources: (keyof Volume)[] = []
  let source: keyof Volume
  for (source in fading) if (volume[source] !== undefined) sources.push(source)
  return sources
}

function claimWarnings(volume: Volume, at: string, vendor: Vendor): string[] {
  const annotation = vendor.domain("volume.beta.orch.io/storage-class")
  if (volume.ephemeral?.volumeClaimTemplate?.metadata.annotations?.[annotation] === undefined) return []
  return [
    `${at}.ephemeral.volumeClaimTemplate.metadata.annotations[${annotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
  ]
}

interface ProjectedFile {
  readonly path: string
  readonly isToken: boolean
  readonly place: string
  /**
   * The path with a terminator after every name, so that the keys of files below it begin with it and sort right after
   * it.
   */
  readonly key: string
  readonly order: number
}

/**
 * Warns about a token file below or above another file of the volume: one of the two cannot be created. The paths of a
 * valid volume are distinct.
 */
function tokenWarnings(volume: Volume, at: string): string[] {
  let order = 0
  const files = (volume.projected?.sources ?? []).flatMap((source, index) =>
    filesOf(source).map(({ path, isToken }): ProjectedFile => {
      const key = `${path.replaceAll("/", "\u0000")}\u0000`
      return { path, isToken, place: `${at}.projected.sources[${index}]`, key, order: order++ }
    }),
  )
  return overlaps(files).map(([file, other]) => `${file.place}: overlapping path "${file.path}" with "${other.path}" of ${other.place}`)
}

/** Pairs of files of which one is below the other and one is a token, later file first; at most `podWarningsMax`. */
function overlaps(files: readonly ProjectedFile[]): [ProjectedFile, ProjectedFile][] {
  const pairs: [ProjectedFile, ProjectedFile][] = []
  if (!files.some(({ isToken }) => isToken)) return pairs
  const above: ProjectedFile[] = []
  const tokensAbove: ProjectedFile[] = []
  for (const file of [...files].sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : left.order - right.order))) {
    for (let last = above.at(-1); last !== undefined && !isBelow(file, last); last = above.at(-1))
      if (above.pop() === tokensAbove.at(-1)) tokensAbove.pop()
    for (const other of file.isToken ? above : tokensAbove) {
      if (pairs.length >= podWarningsMax) break
      pairs.push(file.order > other.order ? [file, other] : [other, file])
    }
    above.push(file)
    if (file.isToken) tokensAbove.push(file)
  }
  return pairs.sort(([file, other], [next, nextOther]) => file.order - next.order || other.order - nextOther.order)
}

function isBelow(file: ProjectedFile, other: ProjectedFile): boolean {
  return file.key.length > other.key.length && file.key.startsWith(other.key)
}

function filesOf(source: VolumeProjection): readonly { readonly path: string; readonly isToken: boolean }[] {
  const { configMap, downwardAPI, secret, serviceAccountToken: token } = source
  const items = [...(secret?.items ?? []), ...(configMap?.items ?? []), ...(downwardAPI?.items ?? [])]
  return [...items.map(({ path }) => ({ path, isToken: false })), ...(token === undefined ? [] : [{ path: token.path, isToken: true }])]
}
