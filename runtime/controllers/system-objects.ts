/**
 * Creates the objects that every cluster has (catalog operations.yaml: system namespaces, priority classes, kubernetes
 * service): the system namespaces, the priority classes of the system, and the Service through which programs in the
 * cluster reach the server. Creating them twice, or on several servers at once, does no harm: existing objects stay.
 */
import { priorityClasses } from "../../generated/bootstrap/priority-classes.ts"
import type { EndpointSlice } from "../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import { serverUser } from "../admission/server-identity.ts"
import { serviceRanges } from "../behaviours/services/ranges.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { parseIp, specialIpFaults } from "../base/ip-address.ts"
import { typed } from "../schema/typed.ts"
import type { ControllerDeps } from "./controller.ts"
import { isRefusal, orUndefined } from "./refusals.ts"

/** Operations, names and options needed to create these objects. */
export type SystemObjectsDeps = Pick<ControllerDeps, "api" | "registry">

/** Neutral names. */
export const systemNamespaces = ["default", "orch-system", "orch-public", "orch-node-lease"] as const

const portName = "https"
const servicePort = 443

/** Called at start and at intervals, because some of them can be deleted. */
export async function ensureNamespaces(deps: SystemObjectsDeps): Promise<void> {
  if (!isServed(deps, "namespaces")) return
  const { namespaces } = deps.api(serverUser).core.v1
  // Bounded: there are four of them.
  for (const neutral of systemNamespaces) {
    const name = deps.registry.deps.vendor.namespace(neutral)
    await ensure(
      () => namespaces.get(name),
      () => namespaces.create({ metadata: { name } }),
    )
  }
}

export const systemPriorityNames: readonly string[] = priorityClasses.map(({ metadata }) => metadata.name)

/** Called at start and at intervals, because they can be deleted. */
export async function ensurePriorityClasses(deps: SystemObjectsDeps): Promise<void> {
  if (!isServed(deps, "priorityclasses", "scheduling.orch.io")) return
  const { priorityclasses: classes } = deps.api(serverUser).scheduling.v1
  // Bounded: schemas/bootstrap has these classes.
  for (const wanted of priorityClasses) {
    await ensure(
      () => classes.get(wanted.metadata.name),
      () => classes.create({ ...wanted, metadata: { name: wanted.metadata.name } }),
    )
  }
}

/** Called at start, once the port is known and the namespaces exist. Corrects ports and type of an existing Service. */
export async function ensureService(deps: SystemObjectsDeps, { port }: { port: number }): Promise<void> {
  const { behaviourDeps, vendor } = deps.registry.deps
  const [primary] = serviceRanges(behaviourDeps.options).addresses.values()
  if (!isServed(deps, "services") || primary === undefined) return
  const { services } = deps.api(serverUser).core.v1
  const ports = [{ name: portName, protocol: "TCP" as const, port: servicePort, targetPort: port }]
  const wanted = { type: "ClusterIP" as const, ports }
  const metadata = { name: vendor.word, labels: { component: "apiserver", provider: vendor.word } }
  const spec = {
    ...wanted,
    clusterIP: primary.valueAt(0),
    ipFamilyPolicy: "SingleStack" as const,
    sessionAffinity: "None" as const,
  }
  const found = await ensure(
    () => services.get("default", vendor.word),
    () => services.create("default", { metadata, spec }),
  )
  if (found === undefined || (found.spec.type === wanted.type && deepEqual(found.spec.ports, ports))) return
  await services.patch("default", vendor.word, { spec: wanted })
}

/**
 * Called at start and whenever the addresses of the servers change. Omits addresses that only this machine can reach:
 * the API refuses such endpoints. The object then exists without an address.
 */
export async function ensureEndpoints(
  deps: SystemObjectsDeps,
  { addresses, port }: { addresses: readonly string[]; port: number },
): Promise<void> {
  if (!isServed(deps, "endpoints")) return
  const { vendor } = deps.registry.deps
  const { endpoints } = deps.api(serverUser).core.v1
  const reachable = addresses.filter(isReachable).sort()
  const addressed = [{ addresses: reachable.map((ip) => ({ ip })), ports: [{ name: portName, port, protocol: "TCP" as const }] }]
  const subsets = reachable.length === 0 ? [] : addressed
  const labels = { [vendor.domain("endpointslice.orch.io/skip-mirror")]: "true" }
  const found = await ensure(
    () => endpoints.get("default", vendor.word),
    () => endpoints.create("default", { metadata: { name: vendor.word, labels }, subsets }),
  )
  if (found === undefined || deepEqual(found.subsets ?? [], subsets)) return
  await endpoints.patch("default", vendor.word, { metadata: { labels }, subsets })
}

/** Called after `ensureEndpoints`, with the same addresses, for proxies on nodes. */
export async function ensureEndpointSlice(
  deps: SystemObjectsDeps,
  { addresses, port }: { addresses: readonly string[]; port: number },
): Promise<void> {
  if (!isServed(deps, "endpointslices", "discovery.orch.io")) return
  const { vendor } = deps.registry.deps
  const { endpointslices } = deps.api(serverUser).discovery.v1
  const reachable = addresses.filter(isReachable).sort()
  const addressType = reachable.some((ip) => ip.includes(":")) ? ("IPv6" as const) : ("IPv4" as const)
  const metadata = { name: vendor.word, labels: { [vendor.domain("orch.io/service-name")]: vendor.word } }
  const endpoints = reachable.map((ip) => ({ addresses: [ip], conditions: { ready: true } }))
  const ports = reachable.length === 0 ? [] : [{ name: portName, port, protocol: "TCP" as const }]
  const wanted = { metadata, addressType, endpoints, ports }
  const create = (): Promise<EndpointSlice> => endpointslices.create("default", wanted)
  const found = await ensure(() => endpointslices.get("default", vendor.word), create)
  if (found === undefined) return
  if (found.addressType !== addressType) {
    // Fixed once the slice exists.
    await endpointslices.delete("default", vendor.word, { preconditions: { uid: found.metadata.uid ?? "" } })
    await create()
    return
  }
  if (deepEqual(typed(found.endpoints ?? []), typed(endpoints)) && deepEqual(typed(found.ports ?? []), typed(ports))) return
  await endpointslices.update("default", { ...found, metadata: { ...found.metadata, ...metadata }, endpoints, ports })
}

/** Whether other machines can reach an address. */
export function isReachable(address: string): boolean {
  const parsed = parseIp(address)
  return parsed !== undefined && specialIpFaults(parsed).length === 0
}

function isServed({ registry }: SystemObjectsDeps, resource: string, group = ""): boolean {
  return registry.deps.kinds.find(group, "v1", resource) !== undefined
}

/** Resolves with the existing object; undefined when it was created, by this call or by a faster server. */
async function ensure<T>(get: () => Promise<T>, create: () => Promise<T>): Promise<T | undefined> {
  const found = await orUndefined(get())
  if (found !== undefined) return found
  try {
    await create()
  } catch (error) {
    if (!isRefusal(error, "AlreadyExists")) throw error
  }
  return undefined
}
