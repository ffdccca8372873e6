/**
 * Writes the certificate of the server's authority into a ConfigMap in each namespace, where pods read it, and
 * maintains it.
 */
import { deepEqual } from "../encoding/field-path.ts"
import type { ControllerDeps } from "./controller.ts"
import { rootCaPublisher } from "./identities.ts"
import { type KeyedController, startKeyedController } from "./keyed-controller.ts"
import { orUndefined, unlessNamespaceEnds } from "./refusals.ts"

/** Neutral name of the ConfigMap. */
const mapName = "orch-root-ca.crt"
/** Neutral name of the annotation. */
const descriptionName = "orch.io/description"
const description = "The authority of the API server. Clients inside the cluster trust it when they connect to the server's own Service."

/** Called once at start. `rootCa`: PEM; without one there is nothing to publish. */
export function startRootCaPublisher(deps: ControllerDeps, rootCa: string | undefined): KeyedController {
  const name = deps.registry.deps.vendor.namespace(mapName)
  return startKeyedController(deps, {
    queue: "root_ca_cert_publisher",
    fault: "a namespace did not get the authority's certificate; tried again later",
    watched:
      rootCa === undefined
        ? []
        : [
            {
              kind: { group: "", version: "v1", resource: "namespaces" },
              changed(namespace, keys, event) {
                if (event?.type !== "DELETED") keys.add(namespace.field("metadata.name"))
              },
            },
            {
              kind: { group: "", version: "v1", resource: "configmaps" },
              changed(map, keys, event) {
                if (event !== undefined && map.field("metadata.name") === name) keys.add(map.field("metadata.namespace"))
              },
            },
          ],
    work: async (namespace) => publish(deps, { namespace, name, rootCa: rootCa ?? "" }),
  })
}

async function publish(
  { api, registry }: ControllerDeps,
  { namespace, name, rootCa }: { namespace: string; name: string; rootCa: string },
): Promise<void> {
  const { configmaps, namespaces } = api(rootCaPublisher(registry)).core.v1
  const holder = await orUndefined(namespaces.get(namespace))
  if (holder === undefined || holder.status.phase === "Terminating") return
  const annotation = registry.deps.vendor.domain(descriptionName)
  const data = { "ca.crt": rootCa }
  const found = await orUndefined(configmaps.get(namespace, name))
  if (found === undefined) {
    await unlessNamespaceEnds(configmaps.create(namespace, { metadata: { name, annotations: { [annotation]: description } }, data }))
    return
  }
  const { annotations = {} } = found.metadata
  if (deepEqual(found.data ?? {}, data) && (annotations[annotation] ?? "") !== "") return
  await configmaps.update(namespace, {
    ...found,
    metadata: { ...found.metadata, annotations: { ...annotations, [annotation]: description } },
    data,
  })
}
