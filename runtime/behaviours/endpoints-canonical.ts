/** Endpoints are stored in canonical form, whatever form they came in (catalog resources.yaml: endpoints). */
import type { BehaviourFactory } from "../kit/behaviour.ts"
import { repackSubsets } from "./endpoints/repack.ts"
import { listOf } from "./pods/fields.ts"

/** Behaviour `endpointsCanonical`. Repacks after validation, so that faults name the places where the client wrote them. */
export const endpointsCanonical: BehaviourFactory = () => ({
  async commit({ object }) {
    if (object !== undefined && Array.isArray(object.subsets)) object.subsets = repackSubsets(listOf(object, "subsets"))
    return undefined
  },
})
