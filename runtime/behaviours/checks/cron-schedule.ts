/** The schedule of a cron job and its time zone (catalog validation.yaml: CronJob). */
import { checkFormat } from "../../schema/formats.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CheckContext } from "../../schema/validate.ts"
import type { CronJobSpec } from "../../../generated/batch/v1/cron-job/types.ts"

const zonePrefix = /^(?:CRON_)?TZ=(\S*)\s+/

/** Called for each cron job. A zone in the schedule itself is tolerated where it is stored already. */
export const cronSchedule = defineCheck<CronJobSpec>((spec, context) => {
  const { schedule, timeZone } = spec
  if (schedule !== "") checkSchedule(spec, context)
  if (timeZone === undefined) return
  const zoneFault = timeZone === "" ? "timeZone must be nil or non-empty string" : checkFormat("iana-time-zone", timeZone)
  if (zoneFault !== undefined) context.fail("Invalid", timeZone, zoneFault, "timeZone")
})

function checkSchedule({ schedule, timeZone }: CronJobSpec, context: CheckContext<CronJobSpec>): void {
  const isTolerated = (context.old?.schedule ?? "").includes("TZ")
  const fault = scheduleFault(schedule)
  if (fault !== undefined) context.fail("Invalid", schedule, fault, "schedule")
  if (schedule.includes("TZ") && (!isTolerated || timeZone !== undefined)) {
    const zoneText = isTolerated
      ? "cannot use both timeZone field and TZ or CRON_TZ in schedule"
      : "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
    context.fail("Invalid", schedule, zoneText, "schedule")
  }
}

/** The reference reads the zone in front first. */
function scheduleFault(schedule: string): string | undefined {
  const zone = zonePrefix.exec(schedule)?.[1]
  if (zone !== undefined && zone !== "" && checkFormat("iana-time-zone", zone) !== undefined)
    return `provided bad location ${zone}: unknown time zone ${zone}`
  return checkFormat("cron5", schedule.replace(zonePrefix, ""))
}
