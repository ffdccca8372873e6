/**
 * Labels by which a job knows its pods, and the selector for them. The server writes both, from the uid of the job,
 * unless the client does (catalog resources.yaml: jobs). A job without labels of its own gets its template's labels.
 */
import { defineBehaviour } from "../schema/define.ts"
import type { Job } from "../../generated/batch/v1/job/types.ts"

/** Behaviour `jobSelector`. Existing values are left for validation to compare. */
export const jobSelector = defineBehaviour<Job>(({ vendor }) => ({
  decoded(object) {
    const { labels } = object.spec.template.metadata
    if (hasOwnLabels(object) || labels === undefined) return
    // The same record as the template's: creation sees by it that the labels are not the client's.
    object.metadata.labels = labels
  },
  prepareCreate(object) {
    const { spec } = object
    if (spec.manualSelector === true) return
    const { name = "", uid = "" } = object.metadata
    const uidLabel = vendor.domain("batch.orch.io/controller-uid")
    const labels = {
      [uidLabel]: uid,
      "controller-uid": uid,
      [vendor.domain("batch.orch.io/job-name")]: name,
      "job-name": name,
      ...spec.template.metadata.labels,
    }
    if (!hasOwnLabels(object) || object.metadata.labels === spec.template.metadata.labels) object.metadata.labels = { ...labels }
    const { matchLabels = {}, ...selector } = spec.selector ?? {}
    object.spec = {
      ...spec,
      selector: { ...selector, matchLabels: { [uidLabel]: uid, ...matchLabels } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    }
  },
}))

function hasOwnLabels({ metadata }: Job): boolean {
  return Object.keys(metadata.labels ?? {}).length > 0
}
