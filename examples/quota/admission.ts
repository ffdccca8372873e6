import { type AdmissionPlugin, ApiError, type ObjectClient, type RequestAttributes } from "orch-apiserver"
import { namespaceHandlers } from "orch-apiserver/generated/core/v1/namespace/handlers"
import { quotaHandlers } from "./generated/quota.example.com/v1/quota/handlers.ts"
import { isQuota } from "./generated/quota.example.com/v1/quota/types.ts"

/**
 * Refuses what exceeds a quota, and quotas of namespaces that do not exist. Made before the server, so it takes a
 * function that returns the server's client.
 */
export function quotaPlugin(client: () => ObjectClient): AdmissionPlugin {
  return {
    name: "Quota",
    operations: ["CREATE", "UPDATE"],
    async validate(request) {
      if (request.object !== undefined && isQuota(request.object)) await checkNamespaces(client(), request.object.spec.namespaces)
      else if (request.operation === "CREATE" && request.subresource === "") await checkQuotas(client(), request)
    },
  }
}

async function checkNamespaces(client: ObjectClient, names: readonly string[]): Promise<void> {
  for (const name of names)
    await namespaceHandlers(client)
      .get(name)
      .catch(() => {
        throw new ApiError(422, "Invalid", `spec.namespaces: there is no namespace ${name}`)
      })
}

async function checkQuotas(client: ObjectClient, { resource, namespace }: RequestAttributes): Promise<void> {
  if (resource.group !== "" || namespace === "") return
  const quotas = await quotaHandlers(client).list()
  for (const { metadata, spec } of quotas.items) {
    if (spec.resource !== resource.resource || !spec.namespaces.includes(namespace)) continue
    const lists = await Promise.all(spec.namespaces.map((one) => client.list({ ...resource, namespace: one })))
    const count = lists.reduce((sum, { items }) => sum + items.length, 0)
    if (count >= spec.limit)
      throw new ApiError(403, "Forbidden", `quota ${metadata.name} allows ${spec.limit} ${spec.resource}, and there are ${count}`)
  }
}
