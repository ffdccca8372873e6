/** The overhead of a pod names resources like containers do (catalog validation.yaml: PodSpec, `overhead`). */
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { checkAmounts } from "./resource-requirements.ts"

/** Called for each pod spec, of pods and of templates. */
export const podOverhead = defineCheck<PodSpec>((spec, context) => {
  checkAmounts(spec.overhead ?? {}, "overhead.limits", context)
})
