/** POST of a Binding assigns a pod to a node, once (catalog resources.yaml: pods, binding). */
import { type ApiError, conflict, invalid, otherName, preconditionText } from "../base/errors.ts"
import { defineSubresource } from "../schema/define.ts"
import type { Failure } from "../base/failure.ts"
import type { Binding } from "../../generated/core/v1/binding/types.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import { timeText } from "../base/time.ts"
import { withPodCondition } from "./pods/conditions.ts"

/** Sub-resource `binding`. Throws 422 for a target that is not a node, 409 when the pod cannot be bound (again). */
export const binding = defineSubresource<Binding, Pod>(({ clock }) => ({
  validate(body, name) {
    const sent = body.metadata.name ?? ""
    if (sent !== name) throw otherName("Binding", sent, name)
    checkTarget(body, name)
  },
  create({ metadata, target }, old): Pod {
    checkPreconditions(metadata, old)
    const refusal = refusalOf(old)
    if (refusal !== undefined) throw podConflict(old.metadata.name, refusal)
    const { annotations = {} } = metadata
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: timeText(clock.nowMs()) }
    return {
      ...old,
      metadata: {
        ...old.metadata,
        ...(Object.keys(annotations).length > 0 && { annotations: { ...old.metadata.annotations, ...annotations } }),
      },
      spec: { ...old.spec, nodeName: target.name ?? "" },
      status: withPodCondition(old.status, scheduled),
    }
  },
}))

function checkTarget({ target }: Binding, name: string): void {
  const failures: Failure[] = []
  const { kind = "" } = target
  if (kind !== "" && kind !== "Node")
    failures.push({ type: "NotSupported", field: "target.kind", value: kind, detail: "", supported: ["Node", "<empty>"] })
  if ((target.name ?? "") === "") failures.push({ type: "Required", field: "target.name", detail: "" })
  if (failures.length > 0) throw invalid({ group: "", resource: "Binding", name }, failures)
}

/** Checks the identity and version of the pod that the scheduler based its decision on. */
function checkPreconditions(wanted: Binding["metadata"], { metadata }: Pod): void {
  const { name, uid = "", resourceVersion = "" } = metadata
  if ((wanted.uid ?? "") !== "" && wanted.uid !== uid) throw podConflict(name, preconditionText("UID", wanted.uid ?? "", uid))
  if ((wanted.resourceVersion ?? "") !== "" && wanted.resourceVersion !== resourceVersion) {
    throw podConflict(name, preconditionText("ResourceVersion", wanted.resourceVersion ?? "", resourceVersion))
  }
}

function refusalOf({ metadata, spec }: Pod): string | undefined {
  const { name, deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`
  if ((spec.nodeName ?? "") !== "") return `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`
  return (spec.schedulingGates ?? []).length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined
}

function podConflict(name: string | undefined, why: string): ApiError {
  return conflict({ group: "", resource: "pods/binding", name: name ?? "" }, why)
}
