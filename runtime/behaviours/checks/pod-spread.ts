/** How pods are spread (catalog validation.yaml: PodSpec, `topologySpreadConstraints`): one rule per domain and way. */
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"

/** Called for each pod spec, of pods and of templates. A failure names the earlier one of two equal constraints. */
export const podSpread = defineCheck<PodSpec>(({ topologySpreadConstraints: constraints = [] }, context) => {
  const seen = new Map<string, number>()
  for (const [index, { topologyKey, whenUnsatisfiable }] of constraints.entries()) {
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`
    const earlier = seen.get(pair)
    if (earlier === undefined) seen.set(pair, index)
    else context.fail("Duplicate", pair, "", `topologySpreadConstraints[${earlier}].{topologyKey, whenUnsatisfiable}`)
  }
})
