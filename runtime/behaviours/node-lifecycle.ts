/** Changes to nodes besides validation (catalog resources.yaml: nodes). */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import { deepClone } from "../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { roundField } from "./content/milli-quantities.ts"
import { objectAt, textOf } from "./pods/fields.ts"

/** Behaviour `nodeLifecycle`: keeps pod ranges in sync and rounds amounts to thousandths. */
export const nodeLifecycle: BehaviourFactory = () => ({
  prepareCreate(object) {
    // Copied because both may be the client's own objects, which every attempt shares.
    for (const part of ["spec", "status"] as const) {
      const value = object[part]
      if (isObject(value)) object[part] = deepClone(value)
    }
    keepInStep(objectAt(object, "spec"))
    roundAmounts(object)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) keepInStep(objectAt(object, "spec"))
    if (subresource === "status") roundAmounts(object)
  },
})

/**
 * `podCIDR` is always the first of `podCIDRs`. If both were given and differ, `podCIDR` wins, for clients that know
 * only that field.
 */
function keepInStep(spec: JsonObject | undefined): void {
  if (spec === undefined) return
  const single = textOf(spec, "podCIDR")
  const first = Array.isArray(spec.podCIDRs) ? spec.podCIDRs[0] : undefined
  if (single !== "" && single !== first) spec.podCIDRs = [single]
  else if (single === "" && typeof first === "string") spec.podCIDR = first
}

function roundAmounts(node: ApiObject): void {
  const status = objectAt(node, "status")
  roundField(status, "capacity")
  roundField(status, "allocatable")
}
