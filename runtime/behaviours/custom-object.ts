/** Changes that writes make to objects of a kind that a definition added (catalog defaults.yaml: custom resources). */
import type { ApiObject } from "../base/json.ts"
import { deepClone, deepEqual } from "../encoding/field-path.ts"
import { defineBehaviour } from "../schema/define.ts"

const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"])

/**
 * Behaviour `customObject`: a write of the status changes nothing else, whatever fields the root has, and a change of
 * anything but metadata and status is a new generation.
 */
export const customObject = defineBehaviour({
  prepareUpdate(object, old, { subresource }) {
    if (subresource === "status") keepAllButStatus(object, old)
    else if (hasNewSpec(object, old) && object.metadata !== undefined) object.metadata.generation = (old.metadata?.generation ?? 0) + 1
  },
})

function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  for (const name of Object.keys(object)) if (name !== "status" && !typeFields.has(name) && !Object.hasOwn(old, name)) delete object[name]
  for (const name of Object.keys(old)) if (name !== "status" && !typeFields.has(name)) object[name] = deepClone(old[name] ?? null)
}

/**
 * A kind without a status sub-resource counts changes of status too. With one, `updateKeeps` has made both equal by
 * now.
 */
function hasNewSpec(object: ApiObject, old: ApiObject): boolean {
  for (const name of Object.keys(object)) if (!typeFields.has(name) && !deepEqual(object[name], old[name])) return true
  return Object.keys(old).some((name) => !typeFields.has(name) && !Object.hasOwn(object, name))
}
