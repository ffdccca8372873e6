/** References of pods and volumes, which their node may read (catalog rbac.yaml: nodeAuthorizer, graph). */
import type { PersistentVolume } from "../../../generated/core/v1/persistent-volume/types.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { Container, EphemeralContainer } from "../../../generated/core/v1/shared/container/types.ts"
import type { Volume } from "../../../generated/core/v1/shared/volumes/types.ts"

/** Kinds of objects that a node may read because of a reference. */
export type Related = "secrets" | "configmaps" | "persistentvolumeclaims" | "serviceaccounts" | "resourceclaims"

/** Names an object; no namespace or name has a slash. */
export function objectKey(resource: Related, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`
}

/**
 * The objects that a pod refers to in its own namespace, each once. None for a mirror pod: a node makes it itself, and
 * must not grant itself permissions. `mirror`: the annotation of mirror pods.
 */
export function podReferences({ metadata, spec, status }: Pod, mirror: string): ReadonlySet<string> {
  const keys = new Set<string>()
  if (metadata.annotations?.[mirror] !== undefined) return keys
  const { namespace = "", name = "" } = metadata
  const add = unlessEmpty((resource, named) => void keys.add(objectKey(resource, namespace, named)))
  visitSpec(spec, name, add)
  for (const claim of spec.resourceClaims ?? []) {
    const made = status?.resourceClaimStatuses?.find((one) => one.name === claim.name)?.resourceClaimName
    add("resourceclaims", claim.source?.resourceClaimName ?? (claim.source?.resourceClaimTemplateName === undefined ? undefined : made))
  }
  return keys
}

/** The kinds of objects that a pod's spec refers to, except resource claims. */
export function kindsNamed(spec: PodSpec): ReadonlySet<Related> {
  const kinds = new Set<Related>()
  visitSpec(
    spec,
    "",
    unlessEmpty((resource) => void kinds.add(resource)),
  )
  return kinds
}

type Add = (resource: Related, name: string | undefined) => void

/** Ignores references without a name. */
function unlessEmpty(visit: (resource: Related, name: string) => void): Add {
  return (resource, name) => {
    if (name !== undefined && name !== "") visit(resource, name)
  }
}

function visitSpec(spec: PodSpec, podName: string, add: Add): void {
  add("serviceaccounts", spec.serviceAccountName)
  for (const { name: secret } of spec.imagePullSecrets ?? []) add("secrets", secret)
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]
  for (const container of containers) ofContainer(container, add)
  for (const volume of spec.volumes ?? []) ofVolume(volume, podName, add)
}

function ofContainer({ env = [], envFrom = [] }: Pick<Container | EphemeralContainer, "env" | "envFrom">, add: Add): void {
  for (const { configMapRef, secretRef } of envFrom) {
    add("configmaps", configMapRef?.name)
    add("secrets", secretRef?.name)
  }
  for (const { valueFrom } of env) {
    add("configmaps", valueFrom?.configMapKeyRef?.name)
    add("secrets", valueFrom?.secretKeyRef?.name)
  }
}

function ofVolume(volume: Volume, podName: string, add: Add): void {
  add("configmaps", volume.configMap?.name)
  add("secrets", volume.secret?.secretName)
  add("secrets", volume.azureFile?.secretName)
  for (const driver of ["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"] as const)
    add("secrets", volume[driver]?.secretRef?.name)
  add("secrets", volume.csi?.nodePublishSecretRef?.name)
  for (const source of volume.projected?.sources ?? []) {
    add("configmaps", source.configMap?.name)
    add("secrets", source.secret?.name)
  }
  add("persistentvolumeclaims", volume.persistentVolumeClaim?.claimName)
  if (volume.ephemeral !== undefined) add("persistentvolumeclaims", `${podName}-${volume.name}`)
}

/** References of a bound volume. */
export interface VolumeReferences {
  /** The key of its claim; undefined: it is not bound. */
  readonly claim: string | undefined
  /** Keys of the secrets that a node needs to mount it, without secrets that only a controller needs. */
  readonly secrets: ReadonlySet<string>
}

interface SecretReference {
  readonly namespace?: string
  readonly name?: string
}

/** Called for each version of a volume. */
export function volumeReferences({ spec }: PersistentVolume): VolumeReferences {
  const secrets = new Set<string>()
  const bound = spec.claimRef
  if (bound === undefined) return { claim: undefined, secrets }
  const { namespace: ofClaim = "", name: claimName = "" } = bound
  const add = (reference: SecretReference | null | undefined, otherwise = ""): void => {
    const namespace = reference?.namespace === undefined || reference.namespace === "" ? otherwise : reference.namespace
    if (reference?.name !== undefined && reference.name !== "") secrets.add(objectKey("secrets", namespace, reference.name))
  }
  const { azureFile, csi } = spec
  if (azureFile !== undefined) add({ name: azureFile.secretName, namespace: azureFile.secretNamespace ?? "" }, ofClaim)
  // Volumes of these drivers were once stored without a namespace, which defaults to the claim's.
  for (const driver of ["cephfs", "flexVolume", "iscsi", "rbd", "scaleIO"] as const) add(spec[driver]?.secretRef, ofClaim)
  for (const driver of ["cinder", "storageos"] as const) add(spec[driver]?.secretRef)
  for (const role of ["nodeStageSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"] as const) add(csi?.[role])
  return { claim: objectKey("persistentvolumeclaims", ofClaim, claimName), secrets }
}
