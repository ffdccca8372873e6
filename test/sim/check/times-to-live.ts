/**
 * Values are deleted when their time to live has passed. `endings.ts` checks that none is deleted earlier: only an
 * object that no client deleted must have lived so long.
 */
import { placeText, type StoredObjects } from "../lives/stored-objects.ts"
import type { World } from "../world/world.ts"

/** The time to live of events. */
export const timeToLiveMs = 3_600_000

/** Called once per run. Values that never expire are reported when the world comes to rest. */
export function lateFaults(stored: StoredObjects, { elections, lateMs }: Pick<World, "elections" | "lateMs">): string[] {
  if (lateMs === undefined) return []
  return stored.changes.flatMap((change) => {
    if (change.resource !== "events" || change.object === undefined) return []
    const next = stored.history(change).find(({ revision }) => revision > change.revision)
    const endMs = next?.at.ms ?? change.at.ms
    const livedMs = endMs - Math.max(change.at.ms, ...elections.filter((ms) => ms <= endMs))
    if (livedMs <= timeToLiveMs + lateMs) return []
    return [`times to live: ${placeText(change)} of ${change.revision} was there for ${livedMs} ms, until ${next?.revision}`]
  })
}
