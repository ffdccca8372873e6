/**
 * Amounts in the template of a workload are rounded like those of the pods created from it (catalog defaults.yaml:
 * ResourceList).
 */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { PodTemplateSpec } from "../../generated/core/v1/shared/pod-template/types.ts"
import { roundResources } from "./content/milli-quantities.ts"

/** A kind with a pod template: Deployment, ReplicationController. */
type Workload = { spec: { template?: PodTemplateSpec } }

/** Behaviour `podTemplateResources`: for kinds with a pod template at `spec.template`. */
export const podTemplateResources = defineBehaviour<Workload>({
  prepareCreate(object) {
    // Copied because the spec may be the client's own object, which every attempt shares.
    object.spec = deepClone(object.spec)
    round(object)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) round(object)
  },
})

function round({ spec: { template } }: Workload): void {
  if (template !== undefined) roundResources(template.spec)
}
