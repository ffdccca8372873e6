/**
 * Fields of a status behind gates. A write of the status may set them whatever the gates say; every other write drops
 * those whose gate is off, as in the reference, which does so for spec and status at once.
 */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { ContainerStatus, PodStatus } from "../../../generated/core/v1/shared/pod-status/types.ts"
import { containersOf } from "./fields.ts"

type Gates = Readonly<Record<string, boolean>>

const lists = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] as const

/**
 * Returns the status without such fields; the same one if it has none. What the stored pod `old` uses of a gate in its
 * spec keeps the fields of it. Called for updates of pods but those of a status.
 */
export function withoutGated(status: PodStatus, { spec }: Pod, gates: Gates): PodStatus {
  const containers = containersOf(spec).map(({ container }) => container)
  const keeps = {
    resize: gates["InPlacePodVerticalScaling"] === true || containers.some(({ resizePolicy }) => resizePolicy !== undefined),
    claims: gates["DynamicResourceAllocation"] === true || (spec.resourceClaims ?? []).length > 0,
    mounts:
      gates["RecursiveReadOnlyMounts"] === true ||
      containers.some(({ volumeMounts = [] }) => volumeMounts.some(({ recursiveReadOnly }) => recursiveReadOnly !== undefined)),
  }
  let kept = status
  if (!keeps.resize && (status.resize ?? "") !== "") {
    const { resize: _, ...others } = kept
    kept = others
  }
  if (!keeps.claims && status.resourceClaimStatuses !== undefined) {
    const { resourceClaimStatuses: _, ...others } = kept
    kept = others
  }
  for (const list of lists) {
    const ofContainers = status[list]
    const changes = ofContainers?.some(
      (one) =>
        (!keeps.resize && (one.allocatedResources ?? one.resources) !== undefined) || (!keeps.mounts && one.volumeMounts !== undefined),
    )
    if (ofContainers !== undefined && changes === true) kept = { ...kept, [list]: ofContainers.map((one) => withoutFields(one, keeps)) }
  }
  return kept
}

function withoutFields(status: ContainerStatus, keeps: { readonly resize: boolean; readonly mounts: boolean }): ContainerStatus {
  const { allocatedResources, resources, volumeMounts, ...others } = status
  return {
    ...others,
    ...(keeps.resize && allocatedResources !== undefined && { allocatedResources }),
    ...(keeps.resize && resources !== undefined && { resources }),
    ...(keeps.mounts && volumeMounts !== undefined && { volumeMounts }),
  }
}
