/** Checks of definitions. `check-definition.ts` is the entry point. */
export { approvalOf, isProtectedGroup } from "./approval.ts"
export { checkDefinitionStatus, checkingDefinition } from "./check-definition.ts"
export { dropDisabledFields } from "./disabled-fields.ts"
export { checkHookClient, checkReviewVersions, knowsReviewVersion } from "./hook-client.ts"
export { nonStructuralOf } from "./non-structural.ts"
