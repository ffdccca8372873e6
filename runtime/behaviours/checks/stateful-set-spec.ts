/** Changes allowed in a stateful set, and the metadata of its pods (catalog validation.yaml: StatefulSet). */
import { deepEqual } from "../../encoding/field-path.ts"
import { defineCheck } from "../../schema/define.ts"
import type { StatefulSetSpec } from "../../../generated/apps/v1/stateful-set/types.ts"
import { checkOwnAnnotations } from "./pod-annotations.ts"
import { checkTemplateMetadata } from "./pod-template-metadata.ts"

const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const

/** Called for each stateful set. */
export const statefulSetSpec = defineCheck<StatefulSetSpec>((spec, context) => {
  checkTemplateMetadata(spec.template, "template.", context)
  checkOwnAnnotations(spec.template, "template.annotations", context)
  const { old } = context
  if (old === undefined) return
  const allowed: StatefulSetSpec = { ...old }
  for (const name of changeable) Object.assign(allowed, { [name]: spec[name] })
  if (deepEqual(withoutAbsent(allowed), withoutAbsent(spec))) return
  const names = "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
  context.fail("Forbidden", undefined, `updates to statefulset spec for fields other than ${names} are forbidden`)
})

function withoutAbsent(spec: StatefulSetSpec): Partial<StatefulSetSpec> {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
}
