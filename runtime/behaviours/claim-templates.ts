/** Claims in a stateful set are answered as whole objects (catalog resources.yaml: statefulsets). */
import { defineBehaviour } from "../schema/define.ts"
import type { StatefulSet } from "../../generated/apps/v1/stateful-set/types.ts"

/** Behaviour `claimTemplates`: each claim of the template names its kind. */
export const claimTemplates = defineBehaviour<StatefulSet>({
  prepareCreate: nameKinds,
  prepareUpdate: nameKinds,
})

function nameKinds(object: StatefulSet): void {
  const { volumeClaimTemplates: claims } = object.spec
  if (claims === undefined) return
  const named = claims.map((claim) => ({ ...claim, apiVersion: "v1" as const, kind: "PersistentVolumeClaim" as const }))
  object.spec = { ...object.spec, volumeClaimTemplates: named }
}
