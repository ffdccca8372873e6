/** The phase of a volume and the time of its last change (catalog resources.yaml: persistentvolumes). */
import { timeText } from "../base/time.ts"
import { defineBehaviour } from "../schema/define.ts"
import type { PersistentVolume } from "../../generated/core/v1/persistent-volume/types.ts"

/** Behaviour `persistentVolumePhase`: a new volume is pending; each change of the phase is dated. */
export const persistentVolumePhase = defineBehaviour<PersistentVolume>(({ clock }) => {
  const now = () => timeText(clock.nowMs())
  return {
    prepareCreate(object) {
      object.status = { phase: "Pending", lastPhaseTransitionTime: now() }
    },
    prepareUpdate(object, old, { subresource }) {
      const { status } = object
      if (subresource !== "status") return
      if (status.phase === old.status.phase) {
        if (status.lastPhaseTransitionTime === undefined && old.status.lastPhaseTransitionTime !== undefined)
          object.status = { ...status, lastPhaseTransitionTime: old.status.lastPhaseTransitionTime }
        return
      }
      // A time that the client changed together with the phase is the client's.
      if ((status.lastPhaseTransitionTime ?? old.status.lastPhaseTransitionTime) !== old.status.lastPhaseTransitionTime) return
      object.status = { ...status, lastPhaseTransitionTime: now() }
    },
  }
})
