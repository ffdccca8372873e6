/** Warns of node labels that have another name now (catalog validation.yaml: CSIStorageCapacity, warnings). */
import { defineWarning } from "../../schema/define.ts"
import { renamedLabel } from "../pods/affinity-warnings.ts"
import type { LabelSelector } from "../../../generated/meta/v1/label-selector/types.ts"

/** Called with a label selector of nodes. */
export const deprecatedSelectorLabels = defineWarning<LabelSelector>(
  ({ matchExpressions = [], matchLabels = {} }, at, _object, { vendor }) => {
    const places: [string, string][] = [
      ...Object.keys(matchLabels).map((label): [string, string] => [label, `${at}.matchLabels.${label}`]),
      ...matchExpressions.map(({ key }, index): [string, string] => [key, `${at}.matchExpressions[${index}].key`]),
    ]
    return places.flatMap(([label, place]) => {
      const renamed = renamedLabel(label, vendor)
      return renamed === undefined ? [] : [`${place}: ${label} is ${renamed}`]
    })
  },
)
