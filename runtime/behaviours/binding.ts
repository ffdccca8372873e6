/** POST of a Binding assigns a pod to a node, once (catalog resources.yaml: pods, binding). */
import { type ApiError, conflict, invalid, preconditionText } from "../base/errors.ts"
import type { SubresourceBehaviourFactory } from "../schema/behaviour.ts"
import type { Failure } from "../base/failure.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { withPodCondition } from "./pods/conditions.ts"
import { listOf, objectAt, textOf } from "./pods/fields.ts"

/** Sub-resource `binding`. Throws 422 for a target that is not a node, 409 when the pod cannot be bound (again). */
export const binding: SubresourceBehaviourFactory = ({ clock }) => ({
  validate: (body, name) => checkTarget(objectAt(body, "target"), name),
  create(body, old) {
    const name = old.metadata?.name ?? ""
    const target = objectAt(body, "target")
    checkPreconditions(body, old)
    const refusal = refusalOf(old)
    if (refusal !== undefined) throw podConflict(name, refusal)
    const annotations = objectAt(body, "metadata", "annotations") ?? {}
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: timeText(clock.nowMs()) }
    return {
      ...old,
      metadata: {
        ...old.metadata,
        ...(Object.keys(annotations).length > 0 && { annotations: { ...old.metadata?.annotations, ...texts(annotations) } }),
      },
      spec: { ...objectAt(old, "spec"), nodeName: textOf(target, "name") },
      status: withPodCondition(objectAt(old, "status") ?? {}, scheduled),
    }
  },
})

function checkTarget(target: JsonObject | undefined, name: string): void {
  const failures: Failure[] = []
  const kind = textOf(target, "kind")
  if (kind !== "" && kind !== "Node")
    failures.push({ type: "NotSupported", field: "target.kind", value: kind, detail: "", supported: ["Node", "<empty>"] })
  if (textOf(target, "name") === "") failures.push({ type: "Required", field: "target.name", detail: "" })
  if (failures.length > 0) throw invalid({ group: "", resource: "Binding", name }, failures)
}

/** Checks the identity and version of the pod that the scheduler based its decision on. */
function checkPreconditions(body: JsonObject, old: ApiObject): void {
  const metadata = objectAt(body, "metadata")
  const { name = "", uid = "", resourceVersion = "" } = old.metadata ?? {}
  const [wantedUid, wantedVersion] = [textOf(metadata, "uid"), textOf(metadata, "resourceVersion")]
  if (wantedUid !== "" && wantedUid !== uid) {
    throw podConflict(name, preconditionText("UID", wantedUid, uid))
  }
  if (wantedVersion !== "" && wantedVersion !== resourceVersion) {
    throw podConflict(name, preconditionText("ResourceVersion", wantedVersion, resourceVersion))
  }
}

function refusalOf(pod: ApiObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata ?? {}
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`
  const node = textOf(pod.spec, "nodeName")
  if (node !== "") return `pod ${name} is already assigned to node ${JSON.stringify(node)}`
  return listOf(pod.spec, "schedulingGates").length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined
}

function podConflict(name: string, why: string): ApiError {
  return conflict({ group: "", resource: "pods/binding", name }, why)
}

function texts(map: JsonObject): { [key: string]: string } {
  const kept: { [key: string]: string } = {}
  for (const [key, value] of Object.entries(map)) if (typeof value === "string") kept[key] = value
  return kept
}
