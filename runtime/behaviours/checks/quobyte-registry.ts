/** The registries of a Quobyte volume, and its tenant (catalog validation.yaml: Volume). */
import { defineCheck } from "../../schema/define.ts"
import type { QuobyteVolumeSource } from "../../../generated/core/v1/shared/volume-drivers/types.ts"

/** A host, which is in brackets when it has colons, and a port, which may be empty or a name. */
const hostPort = /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/

const tenantBytesMax = 64

/** Called for each Quobyte volume of a pod and of a persistent volume. The first part with a fault hides the others. */
export const quobyteRegistry = defineCheck<QuobyteVolumeSource>(({ registry = "", tenant = "" }, context) => {
  if (registry === "") return
  if (Buffer.byteLength(tenant) > tenantBytesMax)
    return context.fail("Required", undefined, "must be a UUID and may not exceed a length of 64 characters", "tenant")
  for (const pair of registry.split(",")) {
    if (context.failures.full) return
    if (!hostPort.test(pair))
      context.fail("Invalid", registry, "must be a host:port pair or multiple pairs separated by commas", "registry")
  }
})
