import { type AdmissionPlugin, ApiError, type ObjectClient } from "orch-apiserver"
import { quotaHandlers } from "./generated/quota.example.com/v1/quota/handlers.ts"
import type { QuotaSpec } from "./generated/quota.example.com/v1/quota/types.ts"

const limited: readonly QuotaSpec["resource"][] = ["configmaps", "secrets"]

/**
 * Refuses what exceeds a quota. The program makes it before the server, so it takes a function that returns the
 * server's client; the server's own first objects pass it before there is a client, and none of them is limited.
 */
export function quotaPlugin(client: () => ObjectClient): AdmissionPlugin {
  return {
    name: "Quota",
    operations: ["CREATE"],
    async validate({ resource, namespace }) {
      if (resource.group !== "" || !limited.some((word) => word === resource.resource)) return
      for (const { metadata, spec } of (await quotaHandlers(client()).list()).items) {
        if (spec.resource !== resource.resource || !spec.namespaces.includes(namespace)) continue
        const lists = await Promise.all(spec.namespaces.map((one) => client().list({ ...resource, namespace: one })))
        const count = lists.reduce((sum, { items }) => sum + items.length, 0)
        if (count >= spec.limit)
          throw new ApiError(403, "Forbidden", `quota ${metadata.name} allows ${spec.limit} ${spec.resource}, and there are ${count}`)
      }
    },
  }
}
