/** Warnings about the template of a replication controller; of an update, about the old one, as in the reference. */
import { defineWarning } from "../../schema/define.ts"
import type { ReplicationController } from "../../../generated/core/v1/replication-controller/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import { templateWarnings } from "./pod-template.ts"

/** Called with the template at `at`. */
export const formerPodTemplate = defineWarning<PodTemplateSpec>((template, at, object, { old, vendor }) => {
  if (old === undefined) return templateWarnings(template, at, vendor)
  const former = (old as unknown as ReplicationController).spec.template // The kind that names this warning.
  return former === undefined || old.metadata?.generation === object.metadata?.generation ? [] : templateWarnings(former, at, vendor)
})
