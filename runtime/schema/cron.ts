/**
 * The schedule syntax of CronJob: five fields or one of the `@` words. This file only checks it; nothing runs
 * schedules.
 */
import { scheduleCharactersMax } from "../base/limits.ts"
import { durationFault } from "../base/duration.ts"

interface Field {
  readonly name: string
  readonly minimum: number
  readonly maximum: number
  readonly words?: readonly string[]
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const fields: readonly Field[] = [
  { name: "minute", minimum: 0, maximum: 59 },
  { name: "hour", minimum: 0, maximum: 23 },
  { name: "day of month", minimum: 1, maximum: 31 },
  { name: "month", minimum: 1, maximum: 12, words: months },
  { name: "day of week", minimum: 0, maximum: 6, words: days },
]
const descriptors = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]

/** Says what is wrong with a schedule; undefined when it is valid. Called by the format `cron5`. */
export function cronFault(schedule: string): string | undefined {
  if (schedule.startsWith("@every ")) {
    const fault = durationFault(schedule.slice("@every ".length))
    return fault === undefined ? undefined : `failed to parse duration ${schedule}: ${fault}`
  }
  if (schedule.startsWith("@")) {
    return descriptors.includes(schedule)
      ? undefined
      : `unrecognized descriptor: ${schedule}; one of ${descriptors.join(", ")} or @every <duration>`
  }
  if (schedule.length > scheduleCharactersMax)
    return `schedule has ${schedule.length} characters, at most ${scheduleCharactersMax} are read`
  const parts = schedule.split(/\s+/).filter((part) => part !== "")
  if (parts.length !== fields.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`
  for (const [index, part] of parts.entries()) {
    const field = fields[index]
    const fault =
      field === undefined
        ? undefined
        : part
            .split(",")
            .map((item) => itemFault(item, field))
            .find((found) => found !== undefined)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Checks one of `*`, `?`, `5`, `1-5`, `mon-fri`, each with an optional `/step`. */
function itemFault(item: string, field: Field): string | undefined {
  const [range = "", step, ...more] = item.split("/")
  if (more.length > 0) return `too many slashes: ${item}`
  if (step !== undefined && (!/^[0-9]+$/.test(step) || Number(step) === 0)) return `step of range should be a positive number: ${item}`
  if (range === "*" || range === "?") return undefined
  const [first = "", last, ...others] = range.split("-")
  if (others.length > 0) return `too many hyphens: ${item}`
  const start = fieldNumber(first, field)
  const end = last === undefined ? start : fieldNumber(last, field)
  if (start === undefined || end === undefined)
    return `failed to parse ${field.name} from ${item}: expected a number${field.words === undefined ? "" : " or a name"}`
  if (start < field.minimum) return `beginning of range (${start}) below minimum (${field.minimum}): ${item}`
  if (end > field.maximum) return `end of range (${end}) above maximum (${field.maximum}): ${item}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${item}`
  return undefined
}

function fieldNumber(text: string, field: Field): number | undefined {
  const word = field.words?.indexOf(text.toLowerCase()) ?? -1
  if (word >= 0) return word + field.minimum
  return /^[0-9]{1,4}$/.test(text) ? Number(text) : undefined
}
