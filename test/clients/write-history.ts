/**
 * Compares the writes of many clients with the events of one watch: the events of each object must be its acknowledged
 * writes, in order, and nothing else.
 */

/** One request of a writer. */
export interface Attempt {
  readonly object: string
  /** The written text; undefined: the object was deleted. */
  readonly value: string | undefined
  /** Undefined when the server was killed before the response: either outcome is correct. */
  acknowledged?: { readonly resourceVersion: string | undefined }
}

export interface WatchedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly object: string
  readonly value: string | undefined
  readonly resourceVersion: string
}

/** Describes the faults; empty when every promise was kept. */
export function historyFaults(attempts: readonly Attempt[], events: readonly WatchedEvent[]): string[] {
  const eventsOf = groupBy(events)
  return [
    ...orderFaults(events),
    ...[...groupBy(attempts)].flatMap(([object, ofObject]) => objectFaults(object, ofObject, eventsOf.get(object) ?? [])),
  ]
}

function orderFaults(events: readonly WatchedEvent[]): string[] {
  return events.flatMap(({ resourceVersion }, index) => {
    const before = events[index - 1]?.resourceVersion
    return before === undefined || BigInt(before) < BigInt(resourceVersion)
      ? []
      : [`the event at ${resourceVersion} came after that at ${before}`]
  })
}

function groupBy<T extends { readonly object: string }>(all: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(one.object)
    if (group === undefined) groups.set(one.object, [one])
    else group.push(one)
  }
  return groups
}

function objectFaults(object: string, attempts: readonly Attempt[], events: readonly WatchedEvent[]): string[] {
  let next = 0
  let there = false
  for (const attempt of attempts) {
    const event = events[next]
    if (event !== undefined && isOf(event, attempt, there)) {
      next++
      there = attempt.value !== undefined
    } else if (attempt.acknowledged !== undefined) {
      return [`${object}: ${describe(attempt)} was acknowledged, but the next event is ${event === undefined ? "none" : describe(event)}`]
    }
  }
  return events.slice(next).map((event) => `${object}: nobody asked for ${describe(event)}`)
}

function isOf(event: WatchedEvent, { value, acknowledged }: Attempt, there: boolean): boolean {
  if (value === undefined) return event.type === "DELETED"
  const { resourceVersion } = acknowledged ?? {}
  return (
    event.type === (there ? "MODIFIED" : "ADDED") &&
    event.value === value &&
    (resourceVersion === undefined || resourceVersion === event.resourceVersion)
  )
}

/** Values are long; their beginnings distinguish them. */
function describe(one: {
  value: string | undefined
  resourceVersion?: string
  type?: string
  acknowledged?: Attempt["acknowledged"]
}): string {
  const { value, type = value === undefined ? "a deletion" : "a write", resourceVersion = one.acknowledged?.resourceVersion } = one
  return `${type} of ${value === undefined ? "nothing" : JSON.stringify(value.slice(0, 24))} at ${resourceVersion ?? "an unknown version"}`
}

/** The content of the store after these events. */
export function stateAfter(events: readonly WatchedEvent[]): Map<string, string> {
  const state = new Map<string, string>()
  for (const { type, object, value } of events) {
    if (type === "DELETED" || value === undefined) state.delete(object)
    else state.set(object, value)
  }
  return state
}
