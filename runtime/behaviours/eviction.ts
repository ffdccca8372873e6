/**
 * POST of an Eviction deletes a pod if its disruption budget allows it (catalog resources.yaml: pods, evictionRules;
 * documentation of API-initiated eviction). The budget is charged before the pod is deleted, by a conditional write.
 */
import { ApiError, conflict, otherName } from "../base/errors.ts"
import type { Deletion, Reading, SubresourceAction } from "../schema/behaviour.ts"
import type { ObjectPlace } from "../schema/object-client.ts"
import type { ApiObject } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"
import { defineSubresource } from "../schema/define.ts"
import { typed } from "../schema/typed.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import type { Eviction } from "../../generated/policy/v1/eviction/types.ts"
import type { PodDisruptionBudget } from "../../generated/policy/v1/pod-disruption-budget/types.ts"
import { type LabelSelector, labelSelectorStages } from "../query/selector.ts"
import { timeText } from "../base/time.ts"
import { evictionTries } from "../base/limits.ts"
import { withPodCondition } from "./pods/conditions.ts"
import { charged, stillProcessed } from "./pods/disruption-budget.ts"

const pods = { group: "", version: "v1", resource: "pods" }
const budgets = { group: "policy", version: "v1", resource: "poddisruptionbudgets" }

/**
 * Sub-resource `eviction`. Throws 404, 409 on preconditions, 429 when the budget does not allow it, 500 when several
 * budgets select the pod.
 */
export const eviction = defineSubresource<Eviction, Pod>(({ clock }) => {
  const now = (): string => timeText(clock.nowMs())
  return {
    acceptedVersions: ["policy/v1beta1"],
    validate(body, name) {
      const sent = body.metadata.name ?? ""
      if (sent !== name) throw otherName("Eviction", sent, name)
    },
    async act(action) {
      const asked = action.objects.readDeletion(action.body.deleteOptions)
      const deletion: Deletion = { ...asked, dryRun: asked.dryRun || action.dryRun }
      const pod = await withoutBudget(action, deletion, now)
      if (pod !== undefined) await withBudget(action, { deletion, pod, now })
    },
  }
})

type Action = SubresourceAction<Eviction>

/**
 * Deletes a pod that no budget protects, because it has no running containers or is being deleted already. Otherwise
 * returns the pod.
 */
async function withoutBudget(action: Action, deletion: Deletion, now: () => string): Promise<Pod | undefined> {
  for (let attempt = 1; ; attempt++) {
    const pod = typed<Pod>(await action.objects.get(placeOf(action)))
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

async function withBudget(action: Action, state: { deletion: Deletion; pod: Pod; now: () => string }): Promise<void> {
  const { deletion, pod, now } = state
  const budget = await budgetOf(action, pod)
  if (budget === undefined) return deletePod(action, deletion, now)
  if (isReady(pod) || !allowsUnhealthy(budget)) {
    const name = budget.metadata.name ?? ""
    const place = { ...budgets, subresource: "status", namespace: action.namespace, name }
    await action.objects.update(place, (newest) => charged(typed(newest), { pod: action.name, now: now() }), deletion)
    return deletePod(action, deletion, now)
  }
  try {
    await deletePod(action, deletion.resourceVersion === undefined ? atVersionOf(pod, deletion) : deletion, now)
  } catch (error) {
    // The pod changed and may be ready now, so the budget must be consulted.
    const changed = error instanceof ApiError && error.code === 409 && deletion.resourceVersion === undefined
    throw changed ? stillProcessed(budget.metadata.name ?? "") : error
  }
}

function placeOf({ namespace, name }: Action): ObjectPlace {
  return { ...pods, namespace, name }
}

function atVersionOf(pod: Pod, deletion: Deletion): Deletion {
  const { resourceVersion } = pod.metadata
  return { ...deletion, ...(resourceVersion !== undefined && { resourceVersion }) }
}

function isOver(pod: Pod): boolean {
  const { phase } = pod.status
  return phase === "Succeeded" || phase === "Failed" || pod.metadata.deletionTimestamp !== undefined
}

function isDispensable(pod: Pod): boolean {
  return isOver(pod) || pod.status.phase === "Pending"
}

function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some(({ status, type }) => type === "Ready" && status === "True") ?? false
}

/** Whether pods that are not ready may be evicted regardless of the budget: it does not count them as healthy. */
function allowsUnhealthy({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true
  return status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy
}

/** Returns the one budget that selects the pod. Throws 500 for several, because it is undefined which one to charge. */
async function budgetOf(action: Action, pod: Pod): Promise<PodDisruptionBudget | undefined> {
  const { labels = {} } = pod.metadata
  const place = { ...budgets, namespace: action.namespace }
  const [first, second] = await action.objects.select(place, selectionOf, (selects) => selects(labels))
  if (second !== undefined)
    throw new ApiError(500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
  return first === undefined ? undefined : typed<PodDisruptionBudget>(first)
}

/** Which labels a budget selects. The selector itself, which may be large, is not kept. */
const selectionOf: Reading<LabelSelector["matches"]> = { read: readSelection }

function* readSelection(budget: ApiObject): Stages<LabelSelector["matches"]> {
  const { empty, matches } = yield* labelSelectorStages(typed<PodDisruptionBudget>(budget).spec.selector)
  return empty ? () => false : matches
}

/**
 * Writes the reason to the pod's conditions, then deletes it. That write changes the version that the deletion is
 * pinned to.
 */
async function deletePod(action: Action, deletion: Deletion, now: () => string): Promise<void> {
  const { objects } = action
  const place = placeOf(action)
  if (deletion.dryRun) return objects.delete(place, deletion)
  const noted = await objects.update(
    { ...place, subresource: "status" },
    (pod) => withDisruptionCondition(typed(pod), deletion, now()),
    deletion,
  )
  await objects.delete(place, deletion.resourceVersion === undefined ? deletion : atVersionOf(typed(noted), deletion))
}

function withDisruptionCondition(pod: Pod, deletion: Deletion, now: string): ApiObject {
  checkPreconditions(pod, deletion)
  const before = pod.status.conditions?.find(({ type }) => type === "DisruptionTarget")
  const condition = {
    ...(before !== undefined && { lastProbeTime: before.lastProbeTime }),
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: before?.status === "True" ? before.lastTransitionTime : now,
  }
  return { ...pod, status: withPodCondition(pod.status, condition) }
}

function checkPreconditions(pod: Pod, { uid, resourceVersion }: Deletion): void {
  const { name = "", uid: ownUid = "", resourceVersion: ownVersion = "" } = pod.metadata
  const subject = { group: "", resource: "Pod", name }
  if (uid !== undefined && uid !== ownUid)
    throw conflict(subject, `the UID in the precondition (${uid}) is not that of the pod (${ownUid}), which may have been recreated`)
  if (resourceVersion !== undefined && resourceVersion !== ownVersion)
    throw conflict(subject, `the ResourceVersion in the precondition (${resourceVersion}) is not that of the pod (${ownVersion})`)
}
