/**
 * Changes allowed in an existing pod: images, the deadline, added tolerations, an invalid grace period, removed
 * scheduling gates and, while gates remain, a narrower choice of nodes (catalog validation.yaml: Pod, update;
 * Pod/ephemeralcontainers).
 */
import { deepClone, deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject } from "../../base/json.ts"
import { put } from "../content/fields.ts"
import { stringify } from "../../encoding/json/text.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodSpec, Toleration } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { checkNarrowed } from "../pods/narrowing.ts"
import { qualityOfService } from "../pods/quality-of-service.ts"

/** Called for each pod; checks only updates of the pod itself and of its ephemeral containers. */
export const podUpdate = defineCheck<Pod>((pod, context) => {
  const old = context.old?.spec
  if (old === undefined) return
  if (context.subresource === "ephemeralcontainers") checkEphemeral(pod.spec, old, context)
  if (context.subresource === undefined) checkSpec(pod, old, context)
})

function checkSpec(pod: Pod, old: PodSpec, context: CheckContext<unknown>): void {
  const { spec } = pod
  // Most updates: a spec that has not changed may stay, whatever it is.
  if (deepEqual(spec, old)) return
  const sameCounts = checkCount(spec, old, "containers", context) && checkCount(spec, old, "initContainers", context)
  if (!sameCounts) return
  reportTwice(imagePath, context)
  if (!checkDeadline(spec, old, context)) return
  checkTolerations(spec, old, context)
  checkGates(spec, old, context)
  checkClass(pod, context)
  const gated = (old.schedulingGates ?? []).length > 0
  if (gated) checkNarrowed(spec, old, context)
  const allowed = withOldValues(spec, old, gated)
  if (deepEqual(allowed, old)) return
  const changed = changedFields(allowed, old)
  const fields =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
  context.fail(
    "Forbidden",
    undefined,
    `pod updates may not change fields other than ${fields}; changed: ${changed.map((name) => `spec.${name}`).join(", ")}`,
    "spec",
  )
}

/** Adds the faults of a field once more: the reference looks at images and tolerations again when a pod changes. */
function reportTwice(path: RegExp, { failures }: CheckContext<unknown>): void {
  if (failures.empty) return
  for (const failure of failures.list.filter(({ field }) => path.test(field))) failures.add(failure)
}

const imagePath = /^spec\.(?:containers|initContainers)\[\d{1,9}\]\.image$/
const tolerationPath = /^spec\.tolerations\[/

function changedFields(allowed: JsonObject, old: JsonObject): string[] {
  return Object.keys({ ...allowed, ...old }).filter((name) => !deepEqual(allowed[name], old[name]))
}

type ContainerList = "containers" | "initContainers"

function checkCount(spec: PodSpec, old: PodSpec, list: ContainerList, context: CheckContext<unknown>): boolean {
  if ((spec[list] ?? []).length === (old[list] ?? []).length) return true
  context.fail("Forbidden", undefined, "pod updates may not add or remove containers", `spec.${list}`)
  return false
}

const deadlineMax = 2_147_483_647

/** False ends the work on the update, as in the reference. */
function checkDeadline(spec: PodSpec, old: PodSpec, context: CheckContext<unknown>): boolean {
  const [{ activeDeadlineSeconds: seconds }, { activeDeadlineSeconds: before }] = [spec, old]
  const fail = (detail: string): false => {
    context.fail("Invalid", seconds ?? "null", detail, "spec.activeDeadlineSeconds")
    return false
  }
  if (seconds === undefined) return before === undefined || !fail("must not update from a positive integer to nil value")
  if (Number(seconds) < 0 || Number(seconds) > deadlineMax) return fail(`must be between 0 and ${deadlineMax}, inclusive`)
  return before === undefined || seconds <= before || fail("must be less than or equal to previous value")
}

function checkTolerations(spec: PodSpec, old: PodSpec, context: CheckContext<unknown>): void {
  const tolerations = new Set(spec.tolerations?.map(wordsWithoutSeconds))
  const kept = (old.tolerations ?? []).every((before) => tolerations.has(wordsWithoutSeconds(before)))
  if (kept) reportTwice(tolerationPath, context)
  else context.fail("Forbidden", undefined, "existing toleration can not be modified except its tolerationSeconds", "spec.tolerations")
}

/** The key of a toleration without its seconds, to compare tolerations that differ in nothing else. */
function wordsWithoutSeconds({ tolerationSeconds: _, ...toleration }: Toleration): string {
  const rest: JsonObject = toleration
  return stringify(
    Object.keys(rest)
      .sort()
      .map((name) => [name, rest[name] ?? null]),
  )
}

function checkGates(spec: PodSpec, old: PodSpec, context: CheckContext<unknown>): void {
  const before = new Set(old.schedulingGates?.map((gate) => gate.name))
  for (const [index, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (context.failures.full) return
    if (!before.has(name))
      context.fail(
        "Forbidden",
        undefined,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
        `spec.schedulingGates[${index}].name`,
      )
  }
}

/** The class of the pod, which follows from its amounts, may not change. */
function checkClass({ spec, status }: Pod, context: CheckContext<unknown>): void {
  const { qosClass } = status
  if (qosClass !== undefined && qualityOfService(spec) !== qosClass) context.fail("Invalid", qosClass, "Pod QoS is immutable", "metadata")
}

/** The new spec with all mutable fields reset to their old values: equals the old spec when nothing else changed. */
function withOldValues(spec: PodSpec, old: PodSpec, gated: boolean): PodSpec {
  const copy = deepClone(spec)
  const free: (keyof PodSpec)[] = ["activeDeadlineSeconds", "tolerations", "schedulingGates", ...(gated ? ["nodeSelector" as const] : [])]
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) free.push("terminationGracePeriodSeconds")
  for (const name of free) put(copy, name, old[name])
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (copy[list] ?? []).entries()) put(container, "image", old[list]?.[index]?.image)
  }
  if (gated) putNodeAffinity(copy, old)
  return copy
}

function putNodeAffinity(spec: PodSpec, old: PodSpec): void {
  const { affinity } = spec
  if (affinity === undefined) return
  put(affinity, "nodeAffinity", old.affinity?.nodeAffinity)
  if (old.affinity === undefined && Object.keys(affinity).length === 0) delete spec.affinity
}

function checkEphemeral(spec: PodSpec, old: PodSpec, context: CheckContext<unknown>): void {
  if (context.root.metadata?.annotations?.[context.vendor.domain("orch.io/config.mirror")] !== undefined) {
    context.fail("Forbidden", undefined, "static pods do not support ephemeral containers")
    return
  }
  const byName = new Map(spec.ephemeralContainers?.map((container) => [container.name, container]))
  for (const before of old.ephemeralContainers ?? []) {
    if (context.failures.full) return
    const { name } = before
    const container = byName.get(name)
    if (container === undefined)
      context.fail("Forbidden", undefined, `existing ephemeral containers "${name}" may not be removed`, "spec.ephemeralContainers")
    else if (!deepEqual(container, before))
      context.fail("Forbidden", undefined, `existing ephemeral containers "${name}" may not be changed`, "spec.ephemeralContainers")
  }
}
