/** The fields of a pod that the controllers of endpoints need: few enough to keep for every pod. */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { Service, ServicePort } from "../../../generated/core/v1/service/types.ts"
import { isHeadless } from "../../behaviours/services/fields.ts"
import { parseIp } from "../../base/ip-address.ts"
import { parseObject } from "../../registry/object-codec.ts"
import { typed } from "../../schema/typed.ts"
import type { CachedObject } from "../../storage/cache.ts"

export type Family = "IPv4" | "IPv6"

export interface PodRecord {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  /** The pod has an address and has not ended, so it may be an endpoint. */
  readonly serves: boolean
  readonly isReady: boolean
  /** When it became ready, or not ready; "" if unknown. */
  readonly readySince: string
  readonly isTerminating: boolean
  readonly ips: readonly string[]
  readonly nodeName: string
  readonly hostname: string
  readonly subdomain: string
  /** The numbers of named ports, by `name/protocol`. */
  readonly ports: Readonly<Record<string, number>>
}

/** Called for every existing pod, and again for each change. Throws UndecodableError. */
export function podRecord(object: CachedObject): PodRecord {
  const { metadata, spec, status = {} } = typed<Pod>(parseObject(object.json()))
  const ips = (status.podIPs ?? []).map(({ ip }) => ip)
  const known = ips.length > 0 || status.podIP === undefined || status.podIP === "" ? ips : [status.podIP]
  const ready = (status.conditions ?? []).find(({ type }) => type === "Ready")
  const hasEnded = status.phase === "Succeeded" || status.phase === "Failed"
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    labels: metadata.labels ?? {},
    serves: known.length > 0 && !hasEnded,
    isReady: ready?.status === "True",
    readySince: ready?.lastTransitionTime ?? "",
    isTerminating: metadata.deletionTimestamp !== undefined,
    ips: known,
    nodeName: spec.nodeName ?? "",
    hostname: spec.hostname ?? "",
    subdomain: spec.subdomain ?? "",
    ports: namedPorts(spec),
  }
}

/** Includes sidecars, which are init containers but may have ports too. */
function namedPorts({ containers, initContainers = [] }: Pod["spec"]): Record<string, number> {
  const named: Record<string, number> = {}
  for (const { ports = [] } of [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === "Always")])
    for (const { name = "", protocol = "TCP", containerPort } of ports) if (name !== "") named[`${name}/${protocol}`] ??= containerPort
  return named
}

/** The addresses of a pod in one family. */
export function ipsOf({ ips }: Pick<PodRecord, "ips">, family: Family): string[] {
  return ips.filter((ip) => familyOf(ip) === family)
}

/** Undefined for a text that is not an address. */
export function familyOf(ip: string): Family | undefined {
  const parsed = parseIp(ip)
  return parsed === undefined ? undefined : parsed.family === 4 ? "IPv4" : "IPv6"
}

/** Work of making an endpoint of a pod and placing it, in the unit of `base/work.ts`. */
export const endpointWork = 10

/** A port of a service, resolved for one pod. */
export interface ResolvedPort {
  readonly name: string
  readonly port: number
  readonly protocol: "TCP" | "UDP" | "SCTP"
  readonly appProtocol?: string
}

/** The ports of a service at a pod. Omits named ports that the pod does not have. */
export function resolvePorts({ ports = [] }: Service["spec"], pod: PodRecord): ResolvedPort[] {
  return ports.flatMap((port) => {
    const number = portAt(port, pod)
    const { name = "", protocol = "TCP", appProtocol } = port
    return number === undefined ? [] : [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
  })
}

function portAt({ targetPort, protocol = "TCP" }: ServicePort, { ports }: PodRecord): number | undefined {
  return typeof targetPort === "number" ? targetPort : ports[`${targetPort}/${protocol}`]
}

/** Whether DNS knows the pod by its hostname below the name of the service. */
export function hasHostname({ hostname, subdomain }: PodRecord, { metadata }: Service): boolean {
  return hostname !== "" && subdomain === metadata.name
}

/** The address families of a service's endpoints; its Endpoints object has the first. */
export function familiesOf({ ipFamilies = [], clusterIP = "", ...spec }: Service["spec"]): readonly Family[] {
  if (ipFamilies.length > 0) return ipFamilies
  // A Service that was stored before it had families.
  return isHeadless({ ...spec, clusterIP }) ? ["IPv4", "IPv6"] : [familyOf(clusterIP) ?? "IPv4"]
}
