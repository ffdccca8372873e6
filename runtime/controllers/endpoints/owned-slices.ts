/** Reads and writes the EndpointSlices that a controller keeps for one Service or Endpoints object. */
import type { EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import { isDeepStrictEqual } from "node:util"
import type { ObjectMeta } from "../../base/json.ts"
import type { ControllerDeps } from "../controller.ts"
import type { controllerUser } from "../../admission/server-identity.ts"
import { nextTurn } from "../../base/turns.ts"
import { orGone, unlessNamespaceEnds } from "../refusals.ts"
import { type Trigger, triggerTimeAnnotation, withTrigger } from "./trigger-times.ts"
import { type EndpointGroup, planSlices } from "./slice-plan.ts"

/** Neutral names. */
export const sliceKind = { group: "discovery.orch.io", version: "v1", resource: "endpointslices" }
export const serviceNameLabel = "orch.io/service-name"
export const managedByLabel = "endpointslice.orch.io/managed-by"

/** Common properties of all slices of one object. */
export interface SliceOwner {
  readonly user: ReturnType<typeof controllerUser>
  /** The value of the label `managed-by`, neutral. */
  readonly manager: string
  /** `v1` kinds only. */
  readonly kind: "Service" | "Endpoints"
  readonly metadata: ObjectMeta
  readonly labels: Readonly<Record<string, string>>
  /** Absent: annotations are left as they are. */
  readonly annotations?: Readonly<Record<string, string>>
  /** Time of the change, for an annotation of written slices. Absent: none. */
  readonly trigger?: Pick<Trigger, "since">
}

/** The slices of an owner that are not being deleted. */
export async function slicesOf(
  { api, registry }: ControllerDeps,
  { user, manager, namespace, name }: Pick<SliceOwner, "user" | "manager"> & { readonly namespace: string; readonly name: string },
): Promise<readonly EndpointSlice[]> {
  const { vendor } = registry.deps
  const labelSelector = `${vendor.domain(serviceNameLabel)}=${name},${vendor.domain(managedByLabel)}=${vendor.group(manager)}`
  const { items } = await api(user).discovery.v1.endpointslices.list(namespace, { labelSelector })
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
}

/** Changes the slices of an owner according to a plan. Throws for a conflict; the caller retries. */
export async function writeSlices(
  deps: ControllerDeps,
  owner: SliceOwner,
  { wanted, endpointsMax }: { readonly wanted: readonly EndpointGroup[]; readonly endpointsMax: number },
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = owner.metadata
  const { endpointslices } = deps.api(owner.user).discovery.v1
  const existing = await slicesOf(deps, { ...owner, namespace, name })
  const meta = metaOf(deps, owner)
  const isOutdated = ({ metadata }: EndpointSlice): boolean =>
    !isDeepStrictEqual(metadata.labels ?? {}, meta.labels) ||
    (meta.annotations !== undefined && !isDeepStrictEqual(metadata.annotations ?? {}, meta.annotations))
  const { creations, updates, deletions } = await planSlices({ existing, wanted, endpointsMax, isOutdated })
  const annotated = (annotations: Readonly<Record<string, string>> | undefined) =>
    owner.trigger === undefined
      ? {}
      : { annotations: withTrigger(annotations, deps.registry.deps.vendor.domain(triggerTimeAnnotation), owner.trigger) }
  const ownerReferences = [{ apiVersion: "v1", kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true }]
  // A store in memory answers within the turn, so all slices of a large service would be written in one.
  for (const { addressType, ports, endpoints } of creations) {
    await nextTurn()
    const metadata = { generateName: `${name}-`, ownerReferences, ...meta, ...annotated(meta.annotations) }
    await unlessNamespaceEnds(endpointslices.create(namespace, { metadata, addressType, ports: [...ports], endpoints: [...endpoints] }))
  }
  for (const { slice, content } of updates) {
    await nextTurn()
    const metadata = { ...slice.metadata, ...meta, ...annotated(slice.metadata.annotations) }
    await endpointslices.update(namespace, { ...slice, metadata, ports: [...content.ports], endpoints: [...content.endpoints] })
  }
  await deleteSlices(deps, owner, deletions)
}

/** Deletes the slices that were read, one in each turn of the event loop. */
export async function deleteSlices(deps: ControllerDeps, owner: Pick<SliceOwner, "user">, slices: readonly EndpointSlice[]): Promise<void> {
  for (const slice of slices) {
    await nextTurn()
    await deleteSlice(deps, owner, slice)
  }
}

/** Deletes the slice that was read, and no newer one of its name. */
async function deleteSlice({ api }: ControllerDeps, { user }: Pick<SliceOwner, "user">, { metadata }: EndpointSlice): Promise<void> {
  const { namespace = "", name = "", uid } = metadata
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  await orGone(api(user).discovery.v1.endpointslices.delete(namespace, name, preconditions))
}

function metaOf(
  { registry }: ControllerDeps,
  { manager, metadata, labels, annotations }: SliceOwner,
): { labels: Record<string, string>; annotations?: Record<string, string> } {
  const { vendor } = registry.deps
  return {
    labels: {
      ...labels,
      [vendor.domain(serviceNameLabel)]: metadata.name ?? "",
      [vendor.domain(managedByLabel)]: vendor.group(manager),
    },
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  }
}
