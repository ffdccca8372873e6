/** A job and its pods: which belong to it, and what may change (catalog validation.yaml: Job). */
import { deepEqual } from "../../encoding/field-path.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import { dnsLabelFaults } from "../../schema/names.ts"
import { isSelector, matchesSelector } from "../../schema/selectors.ts"
import type { Job } from "../../../generated/batch/v1/job/types.ts"
import type { JobSpec } from "../../../generated/batch/v1/shared/job-spec/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"

const immutableText = "field is immutable"

/** Called for each job. */
export const jobObject = defineCheck<Job>((job, context) => {
  const { spec } = job
  if (spec.selector === undefined) context.fail("Required", undefined, "", "spec.selector")
  if (isSelector(spec.selector) && !matchesSelector(spec.selector, spec.template.metadata.labels))
    context.fail("Invalid", spec.template.metadata.labels, "`selector` does not match template `labels`", "spec.template.metadata.labels")
  // The new object is validated twice in an update, and the reference compares these once.
  const isFirst = context.operation === "create" || context.old !== undefined
  if (isFirst && spec.manualSelector !== true && spec.selector !== undefined) checkGenerated(job, context)
  if (isFirst && context.subresource === undefined) checkHostNames(job, context)
  if (context.old !== undefined && context.subresource === undefined) checkChanges(job, context.old, context)
})

/** The last pod of an indexed job has the longest name. */
function checkHostNames({ metadata: { name = "" }, spec: { completionMode, completions = 0 } }: Job, context: CheckContext<unknown>): void {
  if (completionMode !== "Indexed" || completions <= 0) return
  const host = `${name}-${completions - 1}`
  if (dnsLabelFaults(host).length > 0)
    context.fail("Invalid", name, `will not able to create pod with invalid DNS label: ${host}`, "metadata.name")
}

function checkGenerated(job: Job, context: CheckContext<unknown>): void {
  const { name = "", uid = "" } = job.metadata
  const { labels = {} } = job.spec.template.metadata
  const uidLabel = context.vendor.domain("batch.orch.io/controller-uid")
  const expected: readonly (readonly [string, string])[] = [
    ["controller-uid", uid],
    ["job-name", name],
    [uidLabel, uid],
    [context.vendor.domain("batch.orch.io/job-name"), name],
  ]
  for (const [label, value] of expected) {
    const at = `spec.template.metadata.labels[${label}]`
    if (labels[label] === undefined) context.fail("Required", undefined, `must be '${value}'`, at)
    else if (labels[label] !== value) context.fail("Invalid", labels[label], `must be '${value}'`, at)
  }
  if (isSelector(job.spec.selector) && !matchesSelector(job.spec.selector, Object.fromEntries(expected)))
    context.fail("Invalid", job.spec.selector, "`selector` not auto-generated", "spec.selector")
}

function checkChanges({ spec }: Job, old: Job, context: CheckContext<unknown>): void {
  for (const name of ["selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"] as const)
    if (!deepEqual(spec[name] ?? null, old.spec[name] ?? null)) context.fail("Invalid", spec[name] ?? "null", immutableText, `spec.${name}`)
  checkCompletions(spec, old.spec, context)
  const mayMove = old.spec.suspend === true && old.status.startTime === undefined
  const template = mayMove ? withScheduling(spec.template, old.spec.template) : spec.template
  if (!deepEqual(template, old.spec.template)) context.fail("Invalid", undefined, immutableText, "spec.template")
}

/** The size of an indexed job may become the number of pods at a time. */
function checkCompletions(spec: JobSpec, old: JobSpec, context: CheckContext<unknown>): void {
  if (spec.completions === old.completions) return
  if (spec.completionMode !== "Indexed") return context.fail("Invalid", spec.completions ?? "null", immutableText, "spec.completions")
  // Their absence has its own failure.
  if (spec.completions === undefined || spec.completions === spec.parallelism) return
  context.fail("Invalid", spec.completions, "can only be modified in tandem with spec.parallelism", "spec.completions")
}

/** The new template with the stored values of the fields that may change before the job first starts. */
function withScheduling(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const { labels: _labels, annotations: _annotations, ...metadata } = template.metadata
  const { labels, annotations } = old.metadata
  const { nodeSelector: _nodeSelector, tolerations: _tolerations, schedulingGates: _gates, affinity, ...spec } = template.spec
  const { nodeSelector, tolerations, schedulingGates, affinity: oldAffinity } = old.spec
  const { nodeAffinity: _nodeAffinity, ...otherAffinity } = affinity ?? {}
  const restored = { ...otherAffinity, ...(oldAffinity?.nodeAffinity !== undefined && { nodeAffinity: oldAffinity.nodeAffinity }) }
  return {
    metadata: { ...metadata, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) },
    spec: {
      ...spec,
      ...(nodeSelector !== undefined && { nodeSelector }),
      ...(tolerations !== undefined && { tolerations }),
      ...(schedulingGates !== undefined && { schedulingGates }),
      // An affinity with only a node affinity counts as absent.
      ...((oldAffinity !== undefined || Object.keys(restored).length > 0) && { affinity: restored }),
    },
  }
}
