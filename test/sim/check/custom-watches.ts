/**
 * Watches of custom objects are complete and in order, like watches of ConfigMaps, until a change or the deletion of
 * their definition ends them; nothing else does.
 */
import { customContent } from "../lives/custom-watches.ts"
import { definitionPlace, isNewShape } from "../lives/definitions.ts"
import type { CustomWatchRecord, LifeHistory } from "../lives/history.ts"
import type { StoredObjects } from "../lives/stored-objects.ts"
import type { Content } from "../history.ts"
import { eventFaults, shortestWatchMs, type Timeline } from "./watches.ts"

export function customWatchFaults({ watches }: LifeHistory, stored: StoredObjects, revision: number): string[] {
  return watches.flatMap((watch) => [...eventFaults(watch, timelineOf(stored, watch, revision)), ...endFaults(watch, stored)])
}

function endFaults(watch: CustomWatchRecord, stored: StoredObjects): string[] {
  const { beganMs, completeTo, endedMs, id, resource, since, startedAt, until = Number.POSITIVE_INFINITY } = watch
  const changes = stored.history(definitionPlace(resource)).filter((change) => isNewShape(change))
  const later = changes.find(({ revision }) => revision > since)
  if (completeTo !== undefined && later !== undefined) return [`watches of definitions: ${id} outlived the change at ${later.revision}`]
  if (endedMs === undefined || endedMs >= beganMs + shortestWatchMs) return []
  // The server may have received a change before the watch late.
  const hasReason = changes.some(({ revision }) => revision > startedAt && revision <= until)
  return hasReason ? [] : [`watches of definitions: ${id} was ended without a reason`]
}

/** The history of the objects in the scope of a watch. */
function timelineOf(stored: StoredObjects, { resource, namespace }: CustomWatchRecord, revision: number): Timeline {
  const changes = stored.changes
    .filter((change) => change.resource === resource && change.namespace === namespace)
    .map(({ before, name, object, revision: at }) => ({
      revision: at,
      name,
      content: object === undefined ? undefined : customContent(object, at),
      before: before === undefined ? undefined : customContent(before, at),
    }))
  return {
    changes,
    revision,
    stateAt(last) {
      const state = new Map<string, Content>()
      for (const { content, name, revision: at } of changes) {
        if (at > last) break
        if (content === undefined) state.delete(name)
        else state.set(name, content)
      }
      return state
    },
  }
}
