/**
 * Amounts in the template of a workload are rounded like the amounts of the pods created from it (catalog
 * defaults.yaml: ResourceList).
 */
import type { ObjectMeta } from "../base/json.ts"
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { PodTemplateSpec } from "../../generated/core/v1/shared/pod-template/types.ts"
import { roundResources } from "./content/milli-quantities.ts"

/** A kind with a pod template: in its spec (Deployment, ReplicationController), or at its top (PodTemplate). */
type Workload = {
  kind?: string
  metadata: ObjectMeta
  spec?: { template?: PodTemplateSpec }
  template?: PodTemplateSpec
}

/** Behaviour `podTemplateResources`: for kinds with a pod template at `spec.template` or at `template`. */
export const podTemplateResources = defineBehaviour<Workload>({
  prepareCreate(object) {
    // Copied because they may be the client's own objects, which every attempt shares.
    if (object.spec !== undefined) object.spec = deepClone(object.spec)
    if (object.template !== undefined) object.template = deepClone(object.template)
    round(object)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) round(object)
    else keepLabels(object)
  },
})

function round({ spec, template = spec?.template }: Workload): void {
  if (template !== undefined) roundResources(template.spec)
}

/** Without labels of their own, these get the labels of their pods, also after a write of their status. */
const labelledByPods = ["ReplicationController", "Job"]

function keepLabels({ kind = "", metadata, spec }: Workload): void {
  const { labels } = spec?.template?.metadata ?? {}
  if (labelledByPods.includes(kind) && labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0)
    metadata.labels = { ...labels }
}
