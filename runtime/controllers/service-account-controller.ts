/** Creates the service account `default` in each namespace, and recreates it when it was deleted. */
import type { ControllerDeps } from "./controller.ts"
import { serviceAccountController } from "./identities.ts"
import { type KeyedController, startKeyedController } from "./keyed-controller.ts"
import { isRefusal, orUndefined, unlessNamespaceEnds } from "./refusals.ts"

const accountName = "default"

/** Called once at start. */
export function startServiceAccountController(deps: ControllerDeps): KeyedController {
  return startKeyedController(deps, {
    queue: "serviceaccount",
    fault: "a namespace did not get its service account; tried again later",
    watched: [
      {
        kind: { group: "", version: "v1", resource: "namespaces" },
        changed(namespace, keys, event) {
          if (event?.type !== "DELETED") keys.add(namespace.field("metadata.name"))
        },
      },
      {
        kind: { group: "", version: "v1", resource: "serviceaccounts" },
        changed(account, keys, event) {
          if (event?.type === "DELETED" && account.field("metadata.name") === accountName) keys.add(account.field("metadata.namespace"))
        },
      },
    ],
    work: (namespace) => ensureAccount(deps, namespace),
  })
}

async function ensureAccount({ api, registry }: ControllerDeps, namespace: string): Promise<void> {
  const { namespaces, serviceaccounts } = api(serviceAccountController(registry)).core.v1
  const found = await orUndefined(namespaces.get(namespace))
  if (found === undefined || found.status.phase === "Terminating") return
  if ((await orUndefined(serviceaccounts.get(namespace, accountName))) !== undefined) return
  try {
    await unlessNamespaceEnds(serviceaccounts.create(namespace, { metadata: { name: accountName } }))
  } catch (error) {
    if (!isRefusal(error, "AlreadyExists")) throw error
  }
}
