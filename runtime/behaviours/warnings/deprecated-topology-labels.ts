/** Warns of node labels that have another name now (catalog validation.yaml: StorageClass, warnings). */
import { defineWarning } from "../../schema/define.ts"
import { renamedLabel } from "../pods/affinity-warnings.ts"
import type { TopologySelectorTerm } from "../../../generated/core/v1/shared/topology-selector/types.ts"

/** Called with the places of a storage class. */
export const deprecatedTopologyLabels = defineWarning<TopologySelectorTerm[]>((terms, at, _object, { vendor }) =>
  terms.flatMap(({ matchLabelExpressions = [] }, term) =>
    matchLabelExpressions.flatMap(({ key }, index) => {
      const renamed = renamedLabel(key, vendor)
      return renamed === undefined ? [] : [`${at}[${term}].matchLabelExpressions[${index}].key: ${key} is ${renamed}`]
    }),
  ),
)
