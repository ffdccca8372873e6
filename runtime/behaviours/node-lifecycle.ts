/** Changes to nodes besides validation (catalog resources.yaml: nodes). */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { Node, NodeSpec } from "../../generated/core/v1/node/types.ts"
import { roundAmounts } from "./content/milli-quantities.ts"

/** Behaviour `nodeLifecycle`: keeps pod ranges in sync and rounds amounts to thousandths. */
export const nodeLifecycle = defineBehaviour<Node>(() => ({
  // Before the fields are tracked: the manager of the one also owns the other.
  decoded({ spec }) {
    keepInStep(spec)
  },
  prepareCreate(object) {
    // Copied because it may be the client's own object, which every attempt shares.
    object.status = deepClone(object.status)
    roundStatus(object)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === "status") roundStatus(object)
  },
}))

/**
 * `podCIDR` is always the first of `podCIDRs`. If both were given and differ, `podCIDR` wins, for clients that know
 * only that field.
 */
function keepInStep(spec: NodeSpec): void {
  const { podCIDR: single = "", podCIDRs: [first = ""] = [] } = spec
  if (single !== "" && single !== first) spec.podCIDRs = [single]
  else if (single === "" && first !== "") spec.podCIDR = first
}

function roundStatus({ status }: Node): void {
  roundAmounts(status.capacity)
  roundAmounts(status.allocatable)
}
