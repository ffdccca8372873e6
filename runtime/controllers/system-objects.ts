/**
 * Creates the objects that every cluster has (catalog operations.yaml: system namespaces, kubernetes service): the
 * system namespaces, and the Service through which programs in the cluster reach the server. Creating them twice, or on
 * several servers at once, does no harm: existing objects stay.
 */
import { serverAttributes, serverUser } from "../admission/server-identity.ts"
import { serviceRanges } from "../behaviours/services/ranges.ts"
import { ApiError } from "../base/errors.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { parseIp, specialIpFaults } from "../base/ip-address.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { createObject } from "../registry/create.ts"
import { ownObject } from "../registry/own-object.ts"
import { parseObject } from "../registry/object-codec.ts"
import { awaitFreshness } from "../registry/read.ts"
import type { KindHandle, Registry } from "../registry/registry.ts"
import { updateObject } from "../registry/update.ts"

/** Neutral names. */
export const systemNamespaces = ["default", "orch-system", "orch-public", "orch-node-lease"] as const

const portName = "https"
const servicePort = 443

/** Called at start and at intervals, because some of them can be deleted. */
export async function ensureNamespaces(registry: Registry): Promise<void> {
  const handle = await handleOf(registry, "namespaces")
  if (handle === undefined) return
  for (const name of systemNamespaces)
    await ensure(registry, handle, { namespace: "", object: { metadata: { name: registry.deps.vendor.namespace(name) } } })
}

/** Called at start, once the port is known and the namespaces exist. Corrects ports and type of an existing Service. */
export async function ensureService(registry: Registry, { port }: { port: number }): Promise<void> {
  const handle = await handleOf(registry, "services")
  const [primary] = serviceRanges(registry.deps.behaviourDeps.options).addresses.values()
  if (handle === undefined || primary === undefined) return
  const { word } = registry.deps.vendor
  const wanted = { type: "ClusterIP", ports: [{ name: portName, protocol: "TCP", port: servicePort, targetPort: port }] }
  const metadata = { name: word, namespace: "default", labels: { component: "apiserver", provider: word } }
  const object = { metadata, spec: { ...wanted, clusterIP: primary.valueAt(0), ipFamilyPolicy: "SingleStack", sessionAffinity: "None" } }
  const found = await ensure(registry, handle, { namespace: "default", object })
  if (found === undefined || hasFields(found.spec, wanted)) return
  const transform = (old: ApiObject | undefined): ApiObject =>
    ownObject(registry, handle, { ...old, spec: { ...(isObject(old?.spec) && old.spec), ...wanted } })
  const attributes = serverAttributes(serverUser, "UPDATE", { kind: handle.kind, namespace: "default", name: word })
  await updateObject(registry, handle, { attributes, transform, put: false, warn: () => {} })
}

/**
 * Called at start and whenever the addresses of the servers change. An address that only this machine can reach is not
 * listed: the API refuses such endpoints. The object then exists without an address.
 */
export async function ensureEndpoints(
  registry: Registry,
  { addresses, port }: { addresses: readonly string[]; port: number },
): Promise<void> {
  const handle = await handleOf(registry, "endpoints")
  const reachable = addresses.filter(isReachable).sort()
  if (handle === undefined) return
  const { vendor } = registry.deps
  const addressed = [{ addresses: reachable.map((ip) => ({ ip })), ports: [{ name: portName, port, protocol: "TCP" }] }]
  const subsets = reachable.length === 0 ? [] : addressed
  const labels = { [vendor.domain("endpointslice.orch.io/skip-mirror")]: "true" }
  // Decoded objects have no empty lists, neither in the cache nor in the store.
  const content = subsets.length === 0 ? {} : { subsets }
  const object = { metadata: { name: vendor.word, namespace: "default", labels }, ...content }
  const found = await ensure(registry, handle, { namespace: "default", object })
  if (found === undefined || hasFields({ subsets: found.subsets ?? [] }, { subsets })) return
  const transform = ({ subsets: _before, ...old }: ApiObject = {}): ApiObject => ({
    ...old,
    metadata: { ...old.metadata, labels: { ...old.metadata?.labels, ...labels } },
    ...content,
  })
  const attributes = serverAttributes(serverUser, "UPDATE", { kind: handle.kind, namespace: "default", name: vendor.word })
  await updateObject(registry, handle, { attributes, transform, put: false, warn: () => {} })
}

/** Whether other machines can reach an address. */
export function isReachable(address: string): boolean {
  const parsed = parseIp(address)
  return parsed !== undefined && specialIpFaults(parsed).length === 0
}

async function handleOf(registry: Registry, resource: string): Promise<KindHandle | undefined> {
  const kind = registry.deps.kinds.find("", "v1", resource)
  return kind === undefined ? undefined : registry.handle(kind)
}

/** Resolves with the existing object; undefined when this call created it. */
async function ensure(
  registry: Registry,
  handle: KindHandle,
  wanted: { namespace: string; object: ApiObject },
): Promise<ApiObject | undefined> {
  const { namespace, object } = wanted
  const { name = "" } = object.metadata ?? {}
  await awaitFreshness(registry, handle, { mode: "most-recent" })
  const entry = handle.cache.get(handle.key(namespace, name))
  if (entry !== undefined) return handle.fromStored(parseObject(entry.json()))
  const full = ownObject(registry, handle, object)
  try {
    const attributes = serverAttributes(serverUser, "CREATE", { kind: handle.kind, namespace, name })
    await createObject(registry, handle, { attributes, object: full, warn: () => {} })
  } catch (error) {
    // Another server was faster and created the same.
    if (!(error instanceof ApiError && error.reason === "AlreadyExists")) throw error
  }
  return undefined
}

/** Whether `found` has every field of `wanted` with the same value. */
function hasFields(found: JsonValue | undefined, wanted: JsonObject): boolean {
  return isObject(found) && Object.keys(wanted).every((name) => deepEqual(found[name], wanted[name]))
}
