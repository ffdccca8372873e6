/** Two annotations that say the same of a service (catalog validation.yaml: Service): they agree where both are set. */
import { defineCheck } from "../../schema/define.ts"
import type { Service } from "../../../generated/core/v1/service/types.ts"

/** Called for each service. */
export const serviceTopology = defineCheck<Service>(({ metadata }, context) => {
  const [older, newer] = ["topology-aware-hints", "topology-mode"].map((name) => context.vendor.domain(`service.orch.io/${name}`))
  if (older === undefined || newer === undefined) return
  const [hints, mode] = [metadata.annotations?.[older], metadata.annotations?.[newer]]
  if (hints === undefined || mode === undefined || hints === mode) return
  context.fail("Invalid", mode, `must match annotations[${older}] when both are specified`, `metadata.annotations[${newer}]`)
})
