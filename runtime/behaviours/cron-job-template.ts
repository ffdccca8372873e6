/** Amounts in the template of a cron job are rounded like the amounts of pods (catalog defaults.yaml: ResourceList). */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { CronJob } from "../../generated/batch/v1/cron-job/types.ts"
import { roundResources } from "./content/milli-quantities.ts"

/** Behaviour `cronJobTemplate`. */
export const cronJobTemplate = defineBehaviour<CronJob>({
  prepareCreate(object) {
    // Copied because the spec may be the client's own object, which every attempt shares.
    object.spec = deepClone(object.spec)
    roundResources(object.spec.jobTemplate.spec.template.spec)
  },
  prepareUpdate(object, _old, { subresource }) {
    if (subresource === undefined) roundResources(object.spec.jobTemplate.spec.template.spec)
  },
})
