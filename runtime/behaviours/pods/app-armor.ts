/**
 * AppArmor profiles of pods are fields since 1.30 and were annotations before. A new pod has both, so that nodes and
 * policies of either age read it. Templates keep what they were given.
 */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { AppArmorProfile } from "../../../generated/core/v1/shared/security-context/types.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import type { Vendor } from "../../base/vendor.ts"
import { containersOf, visitedContainers } from "./fields.ts"

/** Prefix of the annotation before the container's name, in the neutral form. */
export const appArmorPrefix = "container.apparmor.security.beta.orch.io/"

/** The warning about such an annotation. */
export const ofAppArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead'

const localhost = "localhost/"
/** Bytes of the name of a profile. */
const profileMax = 4095

/** Whether `keepAppArmorInStep` may change the spec of a new pod: one of its containers may get a field. */
export function mayFillProfiles({ metadata, spec }: Pod, vendor: Vendor): boolean {
  const { annotations } = metadata
  const names = containersOf(spec).map(({ container }) => container.name)
  if (new Set(names).size < names.length) return true
  if (annotations === undefined) return false
  const prefix = vendor.domain(appArmorPrefix)
  return Object.keys(annotations).some((name) => name.startsWith(prefix))
}

/**
 * Fills the annotation of each container from its field or the pod's, or the field from the annotation, which `warn`
 * reports. Changes `pod`, whose spec must be the caller's own if it has such an annotation. Called once per new pod.
 */
export function keepAppArmorInStep(pod: Pod, vendor: Vendor, warn?: (text: string) => void): void {
  const { spec } = pod
  if (spec.os?.name === "windows") return
  const ofPod = spec.securityContext?.appArmorProfile
  const annotations = pod.metadata.annotations ?? {}
  const prefix = vendor.domain(appArmorPrefix)
  const added: Record<string, string> = {}
  for (const { container } of visitedContainers(spec)) {
    // A second container of the same name, which will be refused, meets what the first one has added.
    const annotation = annotations[prefix + container.name] ?? added[prefix + container.name]
    const own = container.securityContext?.appArmorProfile
    if (annotation === undefined) {
      const shown = own ?? ofPod
      const text = shown === undefined ? "" : annotationOf(shown)
      if (text !== "") added[prefix + container.name] = text
    } else if (own === undefined) {
      const profile = profileOf(annotation)
      if (profile !== undefined && deepEqual({ ...profile }, { ...ofPod })) continue
      if (profile !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: profile }
      warn?.(`metadata.annotations[${prefix}${container.name}]: ${ofAppArmor}`)
    }
  }
  // A new map, because every attempt shares the client's.
  if (Object.keys(added).length > 0) pod.metadata = { ...pod.metadata, annotations: { ...annotations, ...added } }
}

function annotationOf({ type, localhostProfile }: AppArmorProfile): string {
  if (type === "RuntimeDefault") return "runtime/default"
  if (type === "Unconfined") return "unconfined"
  return type === "Localhost" && localhostProfile !== undefined ? localhost + localhostProfile : ""
}

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === "runtime/default") return { type: "RuntimeDefault" }
  if (annotation === "unconfined") return { type: "Unconfined" }
  if (!annotation.startsWith(localhost)) return undefined
  const localhostProfile = annotation.slice(localhost.length)
  const isValid =
    localhostProfile !== "" && localhostProfile.trim() === localhostProfile && Buffer.byteLength(localhostProfile) <= profileMax
  return isValid ? { type: "Localhost", localhostProfile } : undefined
}
