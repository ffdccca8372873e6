/** Options of a FlexVolume driver: the domains of the system are reserved (catalog validation.yaml: Volume). */
import { defineCheck } from "../../schema/define.ts"
import type { FlexVolumeSource } from "../../../generated/core/v1/shared/volume-drivers/types.ts"

/** Called for each FlexVolume of a pod and of a persistent volume. */
export const flexOptions = defineCheck<Pick<FlexVolumeSource, "options">>(({ options }, context) => {
  if (options === undefined) return
  const system = context.vendor.domain("orch.io/").slice(0, -1)
  const reserved = [system, "kubernetes.io", "k8s.io"]
  for (const key of Object.keys(options)) {
    if (context.failures.full) return
    const [domain = "", name] = key.toLowerCase().split("/", 2)
    if (name === undefined || !reserved.some((one) => domain === one || domain.endsWith(`.${one}`))) continue
    context.fail("Invalid", key, `${system} and k8s.io namespaces are reserved`, `options[${key}]`)
  }
})
