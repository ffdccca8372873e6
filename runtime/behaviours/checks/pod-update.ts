/**
 * What may change in an existing pod: images, the deadline, added tolerations, an invalid grace period, removed
 * scheduling gates and, while gates remain, a narrower choice of nodes (catalog validation.yaml: Pod, update;
 * Pod/ephemeralcontainers).
 */
import { deepClone, deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { stringify } from "../../encoding/json/text.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, numberOf, objectAt, textOf } from "../pods/fields.ts"
import { checkNarrowed } from "../pods/narrowing.ts"

/** Called for each pod; checks only updates of the pod itself and of its ephemeral containers. */
export function podUpdate(pod: JsonValue, context: CheckContext): void {
  const [spec, old] = [objectAt(pod, "spec"), objectAt(context.oldRoot, "spec")]
  if (spec === undefined || old === undefined) return
  if (context.subresource === "ephemeralcontainers") checkEphemeral(spec, old, context)
  if (context.subresource === undefined) checkSpec(spec, old, context)
}

function checkSpec(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  const sameCounts =
    checkCount(spec, old, "containers", "containers", context) && checkCount(spec, old, "initContainers", "init containers", context)
  if (!sameCounts) return
  checkDeadline(spec, old, context)
  checkTolerations(spec, old, context)
  checkGates(spec, old, context)
  const gated = listOf(old, "schedulingGates").length > 0
  const allowed = withOldValues(spec, old, gated)
  if (deepEqual(allowed, old)) {
    if (gated) checkNarrowed(spec, old, context)
    return
  }
  const changed = Object.keys({ ...allowed, ...old }).filter((name) => !deepEqual(allowed[name], old[name]))
  const fields =
    "`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations), `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
  context.fail(
    "Forbidden",
    undefined,
    `pod updates may not change fields other than ${fields}; changed: ${changed.map((name) => `spec.${name}`).join(", ")}`,
    "spec",
  )
}

function checkCount(spec: JsonObject, old: JsonObject, list: string, words: string, context: CheckContext): boolean {
  if (listOf(spec, list).length === listOf(old, list).length) return true
  context.fail("Forbidden", undefined, `pod updates may not add or remove ${words}`, `spec.${list}`)
  return false
}

function checkDeadline(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  const [seconds, before] = [numberOf(spec, "activeDeadlineSeconds"), numberOf(old, "activeDeadlineSeconds")]
  if (before === undefined || (seconds !== undefined && seconds <= before)) return
  const detail =
    seconds === undefined ? "must not update from a positive integer to nil value" : "must be less than or equal to previous value"
  context.fail("Invalid", seconds ?? null, detail, "spec.activeDeadlineSeconds")
}

function checkTolerations(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  const tolerations = new Set(listOf(spec, "tolerations").map(wordsWithoutSeconds))
  const kept = listOf(old, "tolerations").every((before) => tolerations.has(wordsWithoutSeconds(before)))
  if (!kept)
    context.fail("Forbidden", undefined, "existing toleration can not be modified except its tolerationSeconds", "spec.tolerations")
}

/** The key of a toleration without its seconds, to compare tolerations that differ in nothing else. */
function wordsWithoutSeconds({ tolerationSeconds: _, ...rest }: JsonObject): string {
  return stringify(
    Object.keys(rest)
      .sort()
      .map((name) => [name, rest[name] ?? null]),
  )
}

function checkGates(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  const before = new Set(listOf(old, "schedulingGates").map((gate) => textOf(gate, "name")))
  for (const [index, gate] of listOf(spec, "schedulingGates").entries()) {
    if (context.failures.full) return
    const name = textOf(gate, "name")
    if (!before.has(name))
      context.fail(
        "Forbidden",
        undefined,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
        `spec.schedulingGates[${index}]`,
      )
  }
}

/** The new spec with all mutable fields reset to their old values: equals the old spec when nothing else changed. */
function withOldValues(spec: JsonObject, old: JsonObject, gated: boolean): JsonObject {
  const copy = deepClone(spec)
  const free = ["activeDeadlineSeconds", "tolerations", "schedulingGates", ...(gated ? ["nodeSelector"] : [])]
  if ((numberOf(old, "terminationGracePeriodSeconds") ?? 0) < 0 && numberOf(spec, "terminationGracePeriodSeconds") === 1)
    free.push("terminationGracePeriodSeconds")
  for (const name of free) put(copy, name, old[name])
  for (const list of ["containers", "initContainers"]) {
    const before = listOf(old, list)
    for (const [index, container] of listOf(copy, list).entries()) put(container, "image", before[index]?.["image"])
  }
  if (gated) putNodeAffinity(copy, objectAt(old, "affinity")?.["nodeAffinity"], old["affinity"] === undefined)
  return copy
}

function putNodeAffinity(spec: JsonObject, old: JsonValue | undefined, withoutAffinity: boolean): void {
  const affinity = objectAt(spec, "affinity")
  if (affinity === undefined) return
  put(affinity, "nodeAffinity", old)
  if (withoutAffinity && Object.keys(affinity).length === 0) delete spec["affinity"]
}

function put(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[name]
  else object[name] = value
}

function checkEphemeral(spec: JsonObject, old: JsonObject, context: CheckContext): void {
  if (objectAt(context.root, "metadata", "annotations")?.[context.vendor.domain("orch.io/config.mirror")] !== undefined) {
    context.fail("Forbidden", undefined, "static pods do not support ephemeral containers")
    return
  }
  const byName = new Map(listOf(spec, "ephemeralContainers").map((container) => [textOf(container, "name"), container]))
  for (const before of listOf(old, "ephemeralContainers")) {
    if (context.failures.full) return
    const name = textOf(before, "name")
    const container = byName.get(name)
    if (container === undefined)
      context.fail("Forbidden", undefined, `existing ephemeral containers "${name}" may not be removed`, "spec.ephemeralContainers")
    else if (!deepEqual(container, before))
      context.fail("Forbidden", undefined, `existing ephemeral containers "${name}" may not be changed`, "spec.ephemeralContainers")
  }
}
