/** Durations as people read them, for cells: `5m`, `3h20m`, `12d`. */

const minuteSeconds = 60
const hourMinutes = 60
const dayHours = 24
const yearHours = 365 * dayHours

/**
 * A human-readable duration, in steps: `<invalid>` below -1 s, then `119s`, `9m59s`, `179m`, `7h59m`, `47h`, `7d23h`,
 * `729d`, `7y364d`, `8y`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return "<invalid>"
  if (seconds < 0) return "0s"
  if (seconds < 2 * minuteSeconds) return `${seconds}s`
  const minutes = Math.floor(seconds / minuteSeconds)
  if (minutes < 10) return two(minutes, "m", seconds % minuteSeconds, "s")
  if (minutes < 3 * hourMinutes) return `${minutes}m`
  const hours = Math.floor(minutes / hourMinutes)
  if (hours < 8) return two(hours, "h", minutes % hourMinutes, "m")
  if (hours < 2 * dayHours) return `${hours}h`
  const days = Math.floor(hours / dayHours)
  if (hours < 8 * dayHours) return two(days, "d", hours % dayHours, "h")
  if (hours < 2 * yearHours) return `${days}d`
  const years = Math.floor(hours / yearHours)
  return hours < 8 * yearHours ? two(years, "y", days % 365, "d") : `${years}y`
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

/** `duration(seconds)`: a human-readable duration; "" when absent. */
export function durationText(seconds: unknown): string {
  return typeof seconds === "number" || typeof seconds === "bigint" ? humanDuration(Number(seconds) * 1000) : ""
}
