/** The object that controls another one, for a Table column (catalog tables.yaml: ControllerRevision). */
import { defineCell } from "../../schema/define.ts"
import type { ControllerRevision } from "../../../generated/apps/v1/controller-revision/types.ts"

/** Called for each row: `daemonset.apps/agent`, or `<none>`. */
export const controllerOwner = defineCell<ControllerRevision>(({ metadata }) => {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller === true)
  if (owner === undefined) return { text: "<none>" }
  const [group] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [""]
  return { text: `${owner.kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${owner.name}` }
})
