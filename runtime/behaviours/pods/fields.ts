/** The containers of a decoded pod spec, shared by checks and cells. */
import type { Container, EphemeralContainer } from "../../../generated/core/v1/shared/container/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"

export type ContainerList = "containers" | "initContainers" | "ephemeralContainers"

/** A container and its position in the pod spec. */
export interface PlacedContainer {
  readonly container: Container | EphemeralContainer
  readonly list: ContainerList
  /** `initContainers[1]`, relative to the pod spec. */
  readonly path: string
}

const lists: readonly ContainerList[] = ["containers", "initContainers", "ephemeralContainers"]

/** All containers of a pod spec: the main ones, then init containers, then ephemeral ones. */
export function containersOf(spec: PodSpec): readonly PlacedContainer[] {
  const placed: PlacedContainer[] = []
  for (const list of lists) {
    // Before validation, the required list may be null.
    const containers: readonly (Container | EphemeralContainer)[] = spec[list] ?? []
    for (const [index, container] of containers.entries()) placed.push({ container, list, path: `${list}[${index}]` })
  }
  return placed
}

/** The same in the order of the reference's warnings: init containers come first. */
export function visitedContainers(spec: PodSpec): readonly PlacedContainer[] {
  const placed = containersOf(spec)
  const first = placed.filter(({ list }) => list === "initContainers")
  return first.length === 0 ? placed : [...first, ...placed.filter(({ list }) => list !== "initContainers")]
}

/** Whether an init container keeps running beside the main containers. */
export function isSidecar(container: Pick<Container, "restartPolicy">): boolean {
  return container.restartPolicy === "Always"
}
