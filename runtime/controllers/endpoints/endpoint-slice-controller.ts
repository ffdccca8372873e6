/**
 * Keeps the EndpointSlices of each service with a selector equal to the pods that it selects, a hundred to a slice. A
 * slice is owned by its service and deleted with it.
 */
import type { EndpointInput, EndpointPort } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"
import { isHeadless } from "../../behaviours/services/fields.ts"
import { Turns } from "../../base/turns.ts"
import { isRefusal, orUndefined } from "../refusals.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps } from "../controller.ts"
import { endpointSliceController } from "../identities.ts"
import { type KeyedController, placeOf } from "../keyed-controller.ts"
import { recordEvent } from "../record-event.ts"
import { managedByLabel, serviceNameLabel, type SliceOwner, sliceKind, writeSlices } from "./owned-slices.ts"
import { endpointWork, type Family, familiesOf, hasHostname, ipsOf, type PodRecord, resolvePorts } from "./pod-record.ts"
import { startServiceController } from "./service-controller.ts"
import { type ServicePods, shareServicePods } from "./service-pods.ts"
import { TriggerTimes } from "./trigger-times.ts"
import { type EndpointGroup, endpointKey, groupKey } from "./slice-plan.ts"

/** The reference's `--max-endpoints-per-slice`. */
const endpointsPerSliceMax = 100
const manager = "endpointslice-controller.orch.io"
const headlessLabel = "service.orch.io/headless"

/** Called once at start. */
export function startEndpointSliceController(deps: ControllerDeps): KeyedController {
  const pods = shareServicePods(deps)
  const triggers = new TriggerTimes()
  const { vendor } = deps.registry.deps
  const [serviceName, managedBy] = [vendor.domain(serviceNameLabel), vendor.domain(managedByLabel)]
  return startServiceController(deps, pods, {
    queue: "endpoint_slice",
    fault: "the EndpointSlices of a service could not be brought up to date; tried again later",
    workers: 5,
    watched: [
      {
        kind: sliceKind,
        changed(slice, keys, event) {
          // Queues changes and deletions by others; after the controller's own writes there is nothing to do.
          const labels = [slice.labels(), ...(event?.previous === undefined ? [] : [event.previous.labels()])]
          if (event === undefined || event.type === "ADDED") return
          for (const { [serviceName]: service, [managedBy]: by } of labels)
            if (service !== undefined && by === vendor.group(manager)) keys.add(`${slice.field("metadata.namespace")}/${service}`)
        },
      },
    ],
    work: (key) => sync(deps, { pods, triggers }, key),
  })
}

async function sync(deps: ControllerDeps, { pods, triggers }: { pods: ServicePods; triggers: TriggerTimes }, key: string): Promise<void> {
  const { namespace, name } = placeOf(key)
  const user = endpointSliceController(deps.registry)
  if (!(await pods.known())) return
  const service = await orUndefined(deps.api(user).core.v1.services.get(namespace, name))
  if (service === undefined) triggers.forget(key)
  // The garbage collector deletes the slices of a deleted service.
  if (service === undefined || service.metadata.deletionTimestamp !== undefined) return
  const { selector = {}, type } = service.spec
  if (type === "ExternalName" || Object.keys(selector).length === 0) return
  const selected = await pods.select(key, selector)
  const trigger = triggers.triggerOf(key, service.metadata.creationTimestamp ?? "", selected)
  const wanted = await groupsOf(service, selected, (node) => pods.zoneOf(node))
  try {
    await writeSlices(deps, { ...ownerOf(deps, service), trigger }, { wanted, endpointsMax: endpointsPerSliceMax })
    trigger.written()
  } catch (error) {
    if (!isRefusal(error, "Conflict", "NotFound")) await report(deps, service, error)
    throw error
  }
}

function ownerOf({ registry }: ControllerDeps, { metadata, spec }: Service): SliceOwner {
  const { vendor } = registry.deps
  const headless = vendor.domain(headlessLabel)
  const { [headless]: _own, ...labels } = metadata.labels ?? {}
  return {
    user: endpointSliceController(registry),
    manager,
    kind: "Service",
    metadata,
    labels: { ...labels, ...(isHeadless(spec) && { [headless]: "" }) },
  }
}

interface Gathered extends EndpointGroup {
  readonly endpoints: Map<string, EndpointInput>
}

/** Returns the zone of a node; "" if it is unknown. */
type ZoneOf = (node: string) => string

async function groupsOf(service: Service, pods: readonly PodRecord[], zoneOf: ZoneOf): Promise<readonly EndpointGroup[]> {
  const turns = new Turns()
  const all: EndpointGroup[] = []
  for (const addressType of familiesOf(service.spec)) {
    const groups = new Map<string, Gathered>()
    for (const pod of pods) {
      gather(groups, { service, addressType, zoneOf }, pod)
      if (turns.isOver(endpointWork)) await turns.next()
    }
    if (groups.size === 0) all.push({ addressType, ports: [], endpoints: new Map() })
    all.push(...groups.values())
  }
  return all
}

function gather(
  groups: Map<string, Gathered>,
  { service, addressType, zoneOf }: { service: Service; addressType: Family; zoneOf: ZoneOf },
  pod: PodRecord,
): void {
  const addresses = ipsOf(pod, addressType)
  if (addresses.length === 0) return
  const ports = resolvePorts(service.spec, pod).map((port): EndpointPort => port)
  const key = groupKey(addressType, ports)
  const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, EndpointInput>() }
  groups.set(key, group)
  const endpoint = endpointOf(service, pod, { addresses, zone: zoneOf(pod.nodeName) })
  group.endpoints.set(endpointKey(endpoint), endpoint)
}

function endpointOf(service: Service, pod: PodRecord, { addresses, zone }: { addresses: string[]; zone: string }): EndpointInput {
  const { namespace, name, uid, nodeName, hostname, isReady, isTerminating } = pod
  const ready = service.spec.publishNotReadyAddresses === true || (isReady && !isTerminating)
  return {
    addresses,
    conditions: { ready, serving: isReady, terminating: isTerminating },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== "" && { nodeName }),
    ...(zone !== "" && { zone }),
    ...(hasHostname(pod, service) && { hostname }),
  }
}

async function report(deps: ControllerDeps, { metadata }: Service, error: unknown): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata
  await recordEvent(deps, {
    user: endpointSliceController(deps.registry),
    component: "endpoint-slice-controller",
    regarding: { kind: "Service", apiVersion: "v1", namespace, name, uid },
    type: "Warning",
    reason: "FailedToUpdateEndpointSlices",
    message: `the EndpointSlices of service ${namespace}/${name} could not be brought up to date: ${errorText(error)}`,
  })
}
