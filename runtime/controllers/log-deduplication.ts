/**
 * Suppresses repeated warnings. Controllers retry every second and log each failure; while a store is away for an hour,
 * one line a minute is as useful as sixty.
 */
import type { Clock } from "../base/clock.ts"
import type { Log } from "./controller.ts"

/** Milliseconds for which a repeated warning is suppressed. */
const silenceMs = 60_000
/** Limit on remembered faults; there may be many objects that cannot be collected. */
const rememberedMax = 1000

/**
 * Called once at start with the log that controllers write to. The same warning passes once a minute, with `repeated`:
 * the number of suppressed repeats. Two warnings are the same when all values except `error` are equal; `error` may
 * name another server each time.
 */
export function deduplicateLog(log: Log, clock: Clock): Log {
  const told = new Map<string, { readonly atMs: number; repeated: number }>()
  return {
    warn(values, text) {
      const what = JSON.stringify({ ...values, error: text })
      const elapsedMs = clock.elapsedMs()
      const before = told.get(what)
      if (before !== undefined && elapsedMs - before.atMs < silenceMs) {
        before.repeated++
        return
      }
      told.delete(what)
      if (told.size >= rememberedMax) for (const oldest of [...told.keys()].slice(0, rememberedMax / 2)) told.delete(oldest)
      told.set(what, { atMs: elapsedMs, repeated: 0 })
      log.warn(before === undefined || before.repeated === 0 ? values : { ...values, repeated: before.repeated }, text)
    },
  }
}
