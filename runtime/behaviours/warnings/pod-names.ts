/** Warnings about a name from which pod names are made (catalog validation.yaml: CronJob and others, warnings). */
import { defineWarning } from "../../schema/define.ts"
import { hostNameWarning } from "../pods/host-names.ts"

/** Called with a workload; warns when it is created. */
export const podNames = defineWarning(({ metadata }, _at, _object, { old }) =>
  old === undefined ? hostNameWarning(metadata?.name ?? "", "metadata.name: this is used in Pod names and hostnames") : [],
)
