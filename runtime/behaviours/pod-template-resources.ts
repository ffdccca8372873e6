/**
 * Amounts in the template of a workload are rounded like those of the pods created from it (catalog defaults.yaml:
 * ResourceList).
 */
import type { BehaviourFactory } from "../schema/behaviour.ts"
import { deepClone } from "../encoding/field-path.ts"
import { type ApiObject, isObject } from "../base/json.ts"
import { roundResources } from "./content/milli-quantities.ts"
import { objectAt } from "./pods/fields.ts"

/** Behaviour `podTemplateResources`: for kinds with a pod template at `spec.template`. */
export const podTemplateResources: BehaviourFactory = () => ({
  prepareCreate(object) {
    // Copied because the spec may be the client's own object, which every attempt shares.
    if (isObject(object.spec)) object.spec = deepClone(object.spec)
    round(object)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) round(object)
  },
})

function round(object: ApiObject): void {
  roundResources(objectAt(object.spec, "template", "spec"))
}
