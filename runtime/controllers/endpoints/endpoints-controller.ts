/**
 * Keeps the Endpoints of each service with a selector equal to the addresses of the pods that it selects. Endpoints of
 * services without a selector are left to their authors.
 */
import type { Endpoints, EndpointAddress, EndpointPort, EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"
import { repackSubsets } from "../../behaviours/endpoints/repack.ts"
import { isHeadless } from "../../behaviours/services/fields.ts"
import { Turns } from "../../base/turns.ts"
import { ApiError } from "../../base/errors.ts"
import { isDeepStrictEqual } from "node:util"
import { parseObject } from "../../registry/object-codec.ts"
import { errorText } from "../../base/error-text.ts"
import type { ControllerDeps } from "../controller.ts"
import { endpointsController } from "../identities.ts"
import { keyOf, type KeyedController, placeOf } from "../keyed-controller.ts"
import { recordEvent } from "../record-event.ts"
import { orGone, orUndefined, unlessNamespaceEnds } from "../refusals.ts"
import { endpointWork, familiesOf, hasHostname, ipsOf, type PodRecord, type ResolvedPort, resolvePorts } from "./pod-record.ts"
import { startServiceController } from "./service-controller.ts"
import { type ServicePods, shareServicePods } from "./service-pods.ts"
import { TriggerTimes, triggerTimeAnnotation, withTrigger } from "./trigger-times.ts"
import { truncated } from "./truncate.ts"

/** Neutral names. The first marks Endpoints that programs use to elect a leader: they belong to no service. */
const leaderAnnotation = "control-plane.alpha.orch.io/leader"
const headlessLabel = "service.orch.io/headless"
const overCapacityAnnotation = "endpoints.orch.io/over-capacity"

/** Called once at start. */
export function startEndpointsController(deps: ControllerDeps): KeyedController {
  const pods = shareServicePods(deps)
  const triggers = new TriggerTimes()
  const leader = deps.registry.deps.vendor.domain(leaderAnnotation)
  return startServiceController(deps, pods, {
    queue: "endpoint",
    fault: "the Endpoints of a service could not be brought up to date; tried again later",
    workers: 5,
    watched: [
      {
        kind: { group: "", version: "v1", resource: "endpoints" },
        changed(object, keys, event) {
          // Endpoints present at the start may belong to services that were deleted while no controller ran. Later ones
          // without a service are left to their authors.
          if (event !== undefined && event.type !== "DELETED") return
          if (parseObject(object.json()).metadata?.annotations?.[leader] !== undefined) return
          keys.add(keyOf(object))
        },
      },
    ],
    work: (key) => sync(deps, { pods, triggers }, key),
  })
}

async function sync(deps: ControllerDeps, { pods, triggers }: { pods: ServicePods; triggers: TriggerTimes }, key: string): Promise<void> {
  const { namespace, name } = placeOf(key)
  const { endpoints, services } = deps.api(endpointsController(deps.registry)).core.v1
  if (!(await pods.known())) return
  const service = await orUndefined(services.get(namespace, name))
  if (service === undefined) {
    triggers.forget(key)
    return orGone(endpoints.delete(namespace, name))
  }
  const { selector, type } = service.spec
  if (type === "ExternalName" || Object.keys(selector ?? {}).length === 0) return
  const current = await orUndefined(endpoints.get(namespace, name))
  const selected = await pods.select(key, selector ?? {})
  const trigger = triggers.triggerOf(key, service.metadata.creationTimestamp ?? "", selected)
  const annotation = deps.registry.deps.vendor.domain(triggerTimeAnnotation)
  const same = wantedOf(deps, { service, current, subsets: await subsetsOf(service, selected) })
  if (current !== undefined && isSame(current, same)) return trigger.written()
  const wanted = { ...same, metadata: { ...same.metadata, annotations: withTrigger(same.metadata.annotations, annotation, trigger) } }
  try {
    if (current === undefined) await unlessNamespaceEnds(endpoints.create(namespace, wanted))
    else await endpoints.update(namespace, wanted)
    trigger.written()
  } catch (error) {
    if (error instanceof ApiError && error.reason !== "Conflict" && error.reason !== "AlreadyExists") {
      await report(deps, { service, created: current === undefined, error })
    }
    throw error
  }
}

type Subsets = readonly EndpointSubset[]

interface Wanted {
  readonly service: Service
  readonly current: Endpoints | undefined
  readonly subsets: Subsets
}

function wantedOf({ registry }: ControllerDeps, { service, current, subsets }: Wanted): Omit<Endpoints, "kind" | "apiVersion"> {
  const { vendor } = registry.deps
  const overCapacity = vendor.domain(overCapacityAnnotation)
  const cut = truncated(subsets)
  const { [overCapacity]: _before, ...annotations } = current?.metadata.annotations ?? {}
  const { labels = {}, name } = service.metadata
  return {
    metadata: {
      ...current?.metadata,
      ...(name !== undefined && { name }),
      labels: { ...labels, ...(isHeadless(service.spec) && { [vendor.domain(headlessLabel)]: "" }) },
      annotations: { ...annotations, ...(cut !== undefined && { [overCapacity]: "truncated" }) },
    },
    subsets: repackSubsets(cut ?? subsets),
  }
}

/** Whether the stored object is equal, with or without empty maps. Subsets are stored in one canonical form. */
function isSame({ metadata, subsets = [] }: Endpoints, wanted: Pick<Endpoints, "metadata" | "subsets">): boolean {
  return (
    isDeepStrictEqual(metadata.labels ?? {}, wanted.metadata.labels) &&
    isDeepStrictEqual(metadata.annotations ?? {}, wanted.metadata.annotations) &&
    isDeepStrictEqual(subsets, wanted.subsets)
  )
}

interface Gathered {
  readonly ports: EndpointPort[]
  readonly addresses: EndpointAddress[]
  readonly notReadyAddresses: EndpointAddress[]
}

/** One subset for each distinct set of ports among the pods. */
async function subsetsOf(service: Service, pods: readonly PodRecord[]): Promise<EndpointSubset[]> {
  const byPorts = new Map<string, Gathered>()
  const turns = new Turns()
  for (const pod of pods) {
    gather(byPorts, service, pod)
    if (turns.isOver(endpointWork)) await turns.next()
  }
  return [...byPorts.values()].map(({ ports, addresses, notReadyAddresses }) => ({
    ...(addresses.length > 0 && { addresses }),
    ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
    ...(ports.length > 0 && { ports }),
  }))
}

function gather(byPorts: Map<string, Gathered>, service: Service, pod: PodRecord): void {
  const { spec } = service
  const publishes = spec.publishNotReadyAddresses === true
  const [family = "IPv4"] = familiesOf(spec)
  const [ip] = ipsOf(pod, family)
  if (ip === undefined || (pod.isTerminating && !publishes)) return
  const ports = resolvePorts(spec, pod)
  // Without ports, an address is useful only for the DNS name of a headless service.
  if (ports.length === 0 && !((spec.ports ?? []).length === 0 && isHeadless(spec))) return
  const key = JSON.stringify(ports)
  const found = byPorts.get(key) ?? { ports: ports.map(portOf), addresses: [], notReadyAddresses: [] }
  byPorts.set(key, found)
  const address = addressOf(service, pod, ip)
  if (publishes || pod.isReady) found.addresses.push(address)
  else found.notReadyAddresses.push(address)
}

function portOf({ name, port, protocol, appProtocol }: ResolvedPort): EndpointPort {
  return { ...(name !== "" && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }
}

function addressOf(service: Service, pod: PodRecord, ip: string): EndpointAddress {
  const { namespace, name, uid, nodeName, hostname } = pod
  return {
    ip,
    ...(hasHostname(pod, service) && { hostname }),
    ...(nodeName !== "" && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  }
}

async function report(
  deps: ControllerDeps,
  { service, created, error }: { service: Service; created: boolean; error: unknown },
): Promise<void> {
  const { namespace = "", name = "" } = service.metadata
  const [reason, doing] = created ? ["FailedToCreateEndpoint", "created"] : ["FailedToUpdateEndpoint", "updated"]
  await recordEvent(deps, {
    user: endpointsController(deps.registry),
    component: "endpoint-controller",
    regarding: { kind: "Endpoints", apiVersion: "v1", namespace, name, uid: "" },
    type: "Warning",
    reason,
    message: `the Endpoints of service ${namespace}/${name} could not be ${doing}: ${errorText(error)}`,
  })
}
