/** The schedule of a cron job and its time zone (catalog validation.yaml: CronJob). */
import { checkFormat } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CronJobSpec } from "../../../generated/batch/v1/cron-job/types.ts"

const zonePrefix = /^(CRON_)?TZ=\S+\s+/

/** Called for each cron job. A zone in the schedule itself is tolerated where it is stored already. */
export const cronSchedule = defineCheck<CronJobSpec>((spec, context) => {
  const { schedule, timeZone } = spec
  if (schedule === "") return
  const isTolerated = (context.old?.schedule ?? "").includes("TZ")
  const fault = checkFormat("cron5", isTolerated ? schedule.replace(zonePrefix, "") : schedule)
  if (fault !== undefined) context.fail("Invalid", schedule, fault, "schedule")
  if (timeZone === undefined) return
  const zoneFault = timeZone === "" ? "timeZone must be nil or non-empty string" : checkFormat("iana-time-zone", timeZone)
  if (zoneFault !== undefined) context.fail("Invalid", timeZone, zoneFault, "timeZone")
})
