/** APIServices of this server itself are available (catalog resources.yaml: apiservices). */
import type { APIService } from "../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import { timeText } from "../base/time.ts"
import { defineBehaviour } from "../schema/define.ts"

/** Behaviour `localApiService`. */
export const localApiService = defineBehaviour<APIService>(({ clock }) => ({
  prepareCreate(object) {
    if (object.spec.service !== undefined) return
    const lastTransitionTime = timeText(clock.nowMs())
    const message = "Local APIServices are always available"
    object.status = { conditions: [{ type: "Available", status: "True", lastTransitionTime, reason: "Local", message }] }
  },
}))
