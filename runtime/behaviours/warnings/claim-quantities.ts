/** Warns of claims that are not for whole bytes (catalog validation.yaml: PersistentVolumeClaim, warnings). */
import { defineWarning } from "../../schema/define.ts"
import type { PersistentVolumeClaimSpec } from "../../../generated/core/v1/shared/persistent-volume-claim-spec/types.ts"
import { claimWarnings } from "../content/claim-warnings.ts"

/** Called with the spec of a claim. */
export const claimQuantities = defineWarning<PersistentVolumeClaimSpec>((spec, at) => claimWarnings(spec, at))
