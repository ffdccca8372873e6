/** Whether a cron job is held back, for its Table column, which is a text in kube-apiserver (catalog tables.yaml). */
import { defineCell } from "../../schema/define.ts"
import type { CronJob } from "../../../generated/batch/v1/cron-job/types.ts"

/** Called for each row: `True`, `False` or `<unset>`. */
export const cronSuspend = defineCell<CronJob>(({ spec: { suspend } }) => ({
  text: suspend === undefined ? "<unset>" : suspend ? "True" : "False",
}))
