/** Warns of claims of a stateful set that are not for whole bytes. */
import { defineWarning } from "../../schema/define.ts"
import type { PersistentVolumeClaim } from "../../../generated/core/v1/persistent-volume-claim/types.ts"
import { claimWarnings } from "../content/claim-warnings.ts"

/** Called with the templates of the claims. The reference spells the path of updates with a capital letter. */
export const claimTemplateQuantities = defineWarning<readonly PersistentVolumeClaim[]>((claims, at, _object, { old }) =>
  claims.flatMap(({ spec }, index) => claimWarnings(spec, `${at}[${index}]${old === undefined ? "" : ".Spec"}`)),
)
