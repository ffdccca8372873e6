/** Loops try again every second, and say so: while a store is away for an hour, one line a minute says as much as sixty. */
import type { Clock } from "../clock.ts"
import type { Log } from "./loop.ts"

/** How long the same is not said again. */
const silenceMs = 60_000
/** Different faults that are remembered; objects that cannot be collected may be many. */
const rememberedMax = 1000

/**
 * Called once at start with the log that loops write to. The same text about the same thing (every value but `error`, which may name another server
 * each time) goes through once a minute, with `repeated`: how often it was left out before.
 */
export function withoutRepeats(log: Log, clock: Clock): Log {
  const told = new Map<string, { readonly atMs: number; repeated: number }>()
  return {
    warn(values, text) {
      const what = JSON.stringify({ ...values, error: text })
      const nowMs = clock.nowMs()
      const before = told.get(what)
      if (before !== undefined && nowMs >= before.atMs && nowMs - before.atMs < silenceMs) {
        before.repeated++
        return
      }
      told.delete(what)
      if (told.size >= rememberedMax) for (const oldest of [...told.keys()].slice(0, rememberedMax / 2)) told.delete(oldest)
      told.set(what, { atMs: nowMs, repeated: 0 })
      log.warn(before === undefined || before.repeated === 0 ? values : { ...values, repeated: before.repeated }, text)
    },
  }
}
