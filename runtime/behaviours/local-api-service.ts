/** APIServices of this server itself are available (catalog resources.yaml: apiservices). */
import type { APIService } from "../../generated/apiregistration.orch.io/v1/api-service/types.ts"
import { timeText } from "../base/time.ts"
import { defineBehaviour } from "../schema/define.ts"

/** The condition Available of an APIService without a service. */
export const localAvailability = { status: "True", reason: "Local", message: "Local APIServices are always available" } as const

/** Behaviour `localApiService`. */
export const localApiService = defineBehaviour<APIService>(({ clock }) => ({
  prepareCreate(object) {
    if (object.spec.service !== undefined) return
    const lastTransitionTime = timeText(clock.nowMs())
    const { status, reason, message } = localAvailability
    object.status = { conditions: [{ type: "Available", status, lastTransitionTime, reason, message }] }
  },
}))
