/**
 * The ConfigMaps in the system namespace with which a server publishes its configuration (catalog operations.yaml:
 * published configuration). They are maintained while the server runs.
 */
import type { ConfigMap } from "../../generated/core/v1/config-map/types.ts"
import { serverUser } from "../admission/server-identity.ts"
import type { ClientTrust } from "../base/client-trust.ts"
import { deepEqual } from "../encoding/field-path.ts"
import type { ControllerDeps } from "./controller.ts"
import { type KeyedController, startKeyedController } from "./keyed-controller.ts"
import { combinedTrust, trustData, trustOf } from "./published-trust.ts"
import { isRefusal, orUndefined } from "./refusals.ts"
import { ensureNamespaces } from "./system-objects.ts"

/** Authorities and header names that an extension server must trust to authenticate this server's users. */
const trustMap = "extension-apiserver-authentication"
/** The day since which the last use of tokens in Secrets is recorded. */
const trackingMap = "kube-apiserver-legacy-service-account-token-tracking"

/** A source of published trust: the authenticators of the server. */
export interface TrustSource {
  trust(): ClientTrust
  onAuthorities(listener: () => void): void
}

/** Names of the published ConfigMaps. */
export const publishedMaps = [trustMap, trackingMap] as const

type Data = NonNullable<ConfigMap["data"]>

/** Called once by each server. `source`: absent when the server does not authenticate client certificates. */
export function startPublishedConfiguration(deps: ControllerDeps, source: TrustSource | undefined): KeyedController {
  const wanted: Readonly<Record<string, (found: Data | undefined) => Data | undefined>> = {
    [trustMap]: (found) => (source === undefined ? undefined : dataOfTrust(source, found, deps.clock.nowMs())),
    [trackingMap]: (found) => dataOfTracking(found, deps.clock.nowMs()),
  }
  const places = new Map(Object.keys(wanted).map((name) => [`/${deps.registry.deps.vendor.namespace("orch-system")}/${name}`, name]))
  const controller = startKeyedController(deps, {
    queue: "cluster_authentication_trust_controller",
    fault: "a ConfigMap of this server could not be written; tried again later",
    watched: [
      {
        kind: { group: "", version: "v1", resource: "configmaps" },
        changed(map, keys, event) {
          if (event === undefined) return
          // Called for every ConfigMap, so it compares only the key.
          for (const [end, name] of places) if (map.key.endsWith(end)) keys.add(name)
        },
      },
    ],
    begin(keys) {
      for (const name of Object.keys(wanted)) keys.add(name)
      source?.onAuthorities(() => keys.add(trustMap))
    },
    work: (name) => publish(deps, name, wanted[name] ?? (() => undefined)),
  })
  return { ...controller, made: controller.idle() }
}

async function publish(deps: ControllerDeps, name: string, wantedOf: (found: Data | undefined) => Data | undefined): Promise<void> {
  const { configmaps } = deps.api(serverUser).core.v1
  const namespace = deps.registry.deps.vendor.namespace("orch-system")
  const found = await orUndefined(configmaps.get(namespace, name))
  const data = wantedOf(found?.data)
  if (data === undefined || deepEqual(found?.data ?? {}, data)) return
  if (found !== undefined) return void (await configmaps.update(namespace, { ...found, data }))
  await ensureNamespaces(deps)
  try {
    await configmaps.create(namespace, { metadata: { name }, data })
  } catch (error) {
    // Another server was faster, and this one has seen the object by then.
    if (!isRefusal(error, "AlreadyExists")) throw error
  }
}

/** Servers of one cluster may trust different authorities: each adds its own, and removes expired ones. */
function dataOfTrust(source: TrustSource, found: Data | undefined, nowMs: number): Data | undefined {
  const data = trustData(combinedTrust(trustOf(found ?? {}), source.trust(), nowMs))
  if (Object.keys(data).length === 0) return undefined
  return { ...found, ...data }
}

const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** The day on which the first server began to record the use of tokens. */
function dataOfTracking(found: Data | undefined, nowMs: number): Data {
  const { since = "" } = found ?? {}
  return day.test(since) ? { ...found, since } : { ...found, since: new Date(nowMs).toISOString().slice(0, 10) }
}
