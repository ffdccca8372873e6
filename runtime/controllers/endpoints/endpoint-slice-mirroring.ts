/**
 * Writes EndpointSlices for Endpoints that a user made for a service without a selector, so that clients that read only
 * slices find them.
 */
import type { Endpoints, EndpointAddress, EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"
import type { EndpointInput } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import type { ControllerDeps } from "../controller.ts"
import { endpointSliceMirroringController } from "../identities.ts"
import { keyOf, type KeyedController, placeOf, startKeyedController } from "../keyed-controller.ts"
import { recordEvent } from "../record-event.ts"
import { orUndefined } from "../refusals.ts"
import { deleteSlices, managedByLabel, serviceNameLabel, type SliceOwner, sliceKind, slicesOf, writeSlices } from "./owned-slices.ts"
import { familyOf } from "./pod-record.ts"
import { type EndpointGroup, endpointKey, groupKey } from "./slice-plan.ts"

/** The reference's `--mirroring-max-endpoints-per-subset`. */
const addressesPerSubsetMax = 1000
const manager = "endpointslicemirroring-controller.orch.io"
const skipLabel = "endpointslice.orch.io/skip-mirror"
const leaderAnnotation = "control-plane.alpha.orch.io/leader"
/** Annotations that are about the Endpoints object itself. */
const ownAnnotations = ["endpoints.orch.io/last-change-trigger-time"]
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/** Called once at start. */
export function startEndpointSliceMirroring(deps: ControllerDeps): KeyedController {
  const { vendor } = deps.registry.deps
  const [serviceName, managedBy] = [vendor.domain(serviceNameLabel), vendor.domain(managedByLabel)]
  return startKeyedController(deps, {
    queue: "endpoint_slice_mirroring",
    fault: "Endpoints could not be mirrored to EndpointSlices; tried again later",
    workers: 5,
    watched: [
      { kind: { group: "", version: "v1", resource: "endpoints" }, changed: (object, keys) => keys.add(keyOf(object)) },
      {
        kind: { group: "", version: "v1", resource: "services" },
        changed(service, keys, event) {
          if (event !== undefined) keys.add(keyOf(service))
        },
      },
      {
        kind: sliceKind,
        changed(slice, keys, event) {
          const { [serviceName]: name, [managedBy]: by } = (event?.previous ?? slice).labels()
          // At the start, its Endpoints may be gone.
          if (name !== undefined && by === vendor.group(manager) && event?.type !== "ADDED")
            keys.add(`${slice.field("metadata.namespace")}/${name}`)
        },
      },
    ],
    work: (key) => mirror(deps, key),
  })
}

async function mirror(deps: ControllerDeps, key: string): Promise<void> {
  const { namespace, name } = placeOf(key)
  const user = endpointSliceMirroringController(deps.registry)
  const { endpoints, services } = deps.api(user).core.v1
  const found = await orUndefined(endpoints.get(namespace, name))
  const service = found === undefined || !isMirrored(deps, found) ? undefined : await orUndefined(services.get(namespace, name))
  if (found === undefined || service === undefined || service.spec.selector !== undefined) {
    return deleteSlices(deps, { user }, await slicesOf(deps, { user, manager, namespace, name }))
  }
  const { wanted, skipped, invalid } = groupsOf(found)
  await writeSlices(deps, ownerOf(deps, found), { wanted, endpointsMax: addressesPerSubsetMax })
  if (skipped > 0)
    await report(
      deps,
      found,
      "TooManyAddressesToMirror",
      `${skipped} addresses are more than the ${addressesPerSubsetMax} of a subset that are mirrored`,
    )
  if (invalid > 0) await report(deps, found, "InvalidAddresses", `${invalid} addresses that are no IP addresses were not mirrored`)
}

function isMirrored({ registry }: ControllerDeps, { metadata }: Endpoints): boolean {
  const { vendor } = registry.deps
  if (metadata.deletionTimestamp !== undefined) return false
  return metadata.labels?.[vendor.domain(skipLabel)] !== "true" && metadata.annotations?.[vendor.domain(leaderAnnotation)] === undefined
}

function ownerOf({ registry }: ControllerDeps, { metadata }: Endpoints): SliceOwner {
  const { vendor } = registry.deps
  const dropped = new Set([lastApplied, ...ownAnnotations.map((name) => vendor.domain(name))])
  return {
    user: endpointSliceMirroringController(registry),
    manager,
    kind: "Endpoints",
    metadata,
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !dropped.has(name))),
  }
}

interface Mirrored {
  readonly wanted: readonly EndpointGroup[]
  readonly skipped: number
  readonly invalid: number
}

function groupsOf({ subsets = [] }: Endpoints): Mirrored {
  const groups = new Map<string, EndpointGroup & { readonly endpoints: Map<string, EndpointInput> }>()
  let [skipped, invalid] = [0, 0]
  for (const subset of subsets) {
    const all = addressesOf(subset)
    skipped += Math.max(0, all.length - addressesPerSubsetMax)
    for (const { address, ready } of all.slice(0, addressesPerSubsetMax)) {
      const addressType = familyOf(address.ip)
      if (addressType === undefined) {
        invalid++
        continue
      }
      const ports = subset.ports ?? []
      const key = groupKey(addressType, ports)
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, EndpointInput>() }
      groups.set(key, group)
      const endpoint = endpointOf(address, ready)
      group.endpoints.set(endpointKey(endpoint), endpoint)
    }
  }
  return { wanted: [...groups.values()], skipped, invalid }
}

function addressesOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): { address: EndpointAddress; ready: boolean }[] {
  return [...addresses.map((address) => ({ address, ready: true })), ...notReadyAddresses.map((address) => ({ address, ready: false }))]
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): EndpointInput {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname !== undefined && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef }),
  }
}

async function report(deps: ControllerDeps, { metadata }: Endpoints, reason: string, message: string): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata
  await recordEvent(deps, {
    user: endpointSliceMirroringController(deps.registry),
    component: "endpoint-slice-mirroring-controller",
    regarding: { kind: "Endpoints", apiVersion: "v1", namespace, name, uid },
    type: "Warning",
    reason,
    message,
  })
}
