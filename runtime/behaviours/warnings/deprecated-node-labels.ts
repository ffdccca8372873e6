/** Warns of node labels that have another name now (catalog validation.yaml: RuntimeClass, warnings). */
import { defineWarning } from "../../schema/define.ts"
import { renamedLabel } from "../pods/affinity-warnings.ts"

/** Called with a node selector. */
export const deprecatedNodeLabels = defineWarning<Record<string, string>>((selector, at, _object, { vendor }) =>
  Object.keys(selector).flatMap((label) => {
    const renamed = renamedLabel(label, vendor)
    return renamed === undefined ? [] : [`${at}[${label}]: ${renamed}`]
  }),
)
