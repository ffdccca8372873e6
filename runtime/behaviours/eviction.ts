/**
 * POST of an Eviction deletes a pod if its disruption budget allows it (catalog resources.yaml: pods, evictionRules;
 * documentation of API-initiated eviction). The budget is charged before the pod is deleted, by a conditional write.
 */
import { ApiError, badRequest, conflict } from "../base/errors.ts"
import type { SubresourceAction, Deletion, ObjectPlace, SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import { isObject, type ApiObject } from "../base/json.ts"
import { labelSelectorOf } from "../query/selector.ts"
import { timeText } from "../base/time.ts"
import { evictionTries } from "../base/limits.ts"
import { withPodCondition } from "./pods/conditions.ts"
import { listOf, numberOf, objectAt, textOf } from "./pods/fields.ts"
import { charged, stillProcessed } from "./pods/disruption-budget.ts"

const pods = { group: "", version: "v1", resource: "pods" }
const budgets = { group: "policy", version: "v1", resource: "poddisruptionbudgets" }

/**
 * Sub-resource `eviction`. Throws 404, 409 on preconditions, 429 when the budget does not allow it, 500 when several
 * budgets select the pod.
 */
export const eviction: SubresourceBehaviourFactory = ({ clock }) => {
  const now = (): string => timeText(clock.nowMs())
  return {
    acceptedVersions: ["policy/v1beta1"],
    validate(body, name) {
      const sent = body.metadata?.name ?? ""
      if (sent !== name) throw badRequest(`the name of the Eviction (${sent}) does not match the name on the URL (${name})`)
    },
    async act(action) {
      const asked = action.objects.readDeletion(objectAt(action.body, "deleteOptions"))
      const deletion: Deletion = { ...asked, dryRun: asked.dryRun || action.dryRun }
      const pod = await withoutBudget(action, deletion, now)
      if (pod !== undefined) await withBudget(action, { deletion, pod, now })
    },
  }
}

/**
 * Deletes a pod that no budget protects, because it has no running containers or is being deleted already. Otherwise
 * returns the pod.
 */
async function withoutBudget(action: SubresourceAction, deletion: Deletion, now: () => string): Promise<ApiObject | undefined> {
  for (let attempt = 1; ; attempt++) {
    const pod = await action.objects.get(placeOf(action))
    if (!isDispensable(pod)) return pod
    // A pending pod may start meanwhile and then count for a budget.
    const pinned = isOver(pod) || deletion.resourceVersion !== undefined ? deletion : atVersionOf(pod, deletion)
    try {
      await deletePod(action, pinned, now)
      return undefined
    } catch (error) {
      const again = error instanceof ApiError && error.code === 409 && deletion.resourceVersion === undefined
      if (!again || attempt >= evictionTries) throw error
    }
  }
}

async function withBudget(action: SubresourceAction, state: { deletion: Deletion; pod: ApiObject; now: () => string }): Promise<void> {
  const { deletion, pod, now } = state
  const budget = await budgetOf(action, pod)
  if (budget === undefined) return deletePod(action, deletion, now)
  if (isReady(pod) || !allowsUnhealthy(budget)) {
    const name = budget.metadata?.name ?? ""
    const place = { ...budgets, subresource: "status", namespace: action.namespace, name }
    await action.objects.update(place, (newest) => charged(newest, { pod: action.name, now: now() }), deletion)
    return deletePod(action, deletion, now)
  }
  try {
    await deletePod(action, deletion.resourceVersion === undefined ? atVersionOf(pod, deletion) : deletion, now)
  } catch (error) {
    // The pod changed and may be ready now, so the budget must be consulted.
    const changed = error instanceof ApiError && error.code === 409 && deletion.resourceVersion === undefined
    throw changed ? stillProcessed(budget.metadata?.name ?? "") : error
  }
}

function placeOf({ namespace, name }: SubresourceAction): ObjectPlace {
  return { ...pods, namespace, name }
}

function atVersionOf(pod: ApiObject, deletion: Deletion): Deletion {
  const { resourceVersion } = pod.metadata ?? {}
  return { ...deletion, ...(resourceVersion !== undefined && { resourceVersion }) }
}

function isOver(pod: ApiObject): boolean {
  return ["Succeeded", "Failed"].includes(textOf(pod.status, "phase")) || pod.metadata?.deletionTimestamp !== undefined
}

function isDispensable(pod: ApiObject): boolean {
  return isOver(pod) || textOf(pod.status, "phase") === "Pending"
}

function isReady(pod: ApiObject): boolean {
  return listOf(pod.status, "conditions").some((one) => textOf(one, "type") === "Ready" && textOf(one, "status") === "True")
}

/** Whether pods that are not ready may be evicted regardless of the budget: it does not count them as healthy. */
function allowsUnhealthy(budget: ApiObject): boolean {
  if (textOf(budget.spec, "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true
  const desired = numberOf(budget.status, "desiredHealthy") ?? 0
  return desired > 0 && (numberOf(budget.status, "currentHealthy") ?? 0) >= desired
}

/** Returns the one budget that selects the pod. Throws 500 for several, because it is undefined which one to charge. */
async function budgetOf(action: SubresourceAction, pod: ApiObject): Promise<ApiObject | undefined> {
  const labels = pod.metadata?.labels ?? {}
  const all = await action.objects.list({ ...budgets, namespace: action.namespace })
  const [first, second] = all.filter((budget) => selects(budget, labels))
  if (second !== undefined)
    throw new ApiError(500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
  return first
}

function selects(budget: ApiObject, labels: Readonly<Record<string, string>>): boolean {
  const selector = labelSelectorOf(isObject(budget.spec) ? budget.spec.selector : undefined)
  return !selector.empty && selector.matches(labels)
}

/**
 * Writes the reason to the pod's conditions, then deletes it. That write changes the version that the deletion is
 * pinned to.
 */
async function deletePod(action: SubresourceAction, deletion: Deletion, now: () => string): Promise<void> {
  const { objects } = action
  const place = placeOf(action)
  if (deletion.dryRun) return objects.delete(place, deletion)
  const noted = await objects.update({ ...place, subresource: "status" }, (pod) => withDisruptionCondition(pod, deletion, now()), deletion)
  await objects.delete(place, deletion.resourceVersion === undefined ? deletion : atVersionOf(noted, deletion))
}

function withDisruptionCondition(pod: ApiObject, deletion: Deletion, now: string): ApiObject {
  checkPreconditions(pod, deletion)
  const status = objectAt(pod, "status") ?? {}
  const before = listOf(status, "conditions").find((one) => textOf(one, "type") === "DisruptionTarget")
  const lastTransitionTime = textOf(before, "status") === "True" ? textOf(before, "lastTransitionTime") : now
  const condition = {
    ...(before?.lastProbeTime !== undefined && { lastProbeTime: before.lastProbeTime }),
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime,
  }
  return { ...pod, status: withPodCondition(status, condition) }
}

function checkPreconditions(pod: ApiObject, { uid, resourceVersion }: Deletion): void {
  const { name = "", uid: ownUid = "", resourceVersion: ownVersion = "" } = pod.metadata ?? {}
  const subject = { group: "", resource: "Pod", name }
  if (uid !== undefined && uid !== ownUid)
    throw conflict(subject, `the UID in the precondition (${uid}) is not that of the pod (${ownUid}), which may have been recreated`)
  if (resourceVersion !== undefined && resourceVersion !== ownVersion)
    throw conflict(subject, `the ResourceVersion in the precondition (${resourceVersion}) is not that of the pod (${ownVersion})`)
}
