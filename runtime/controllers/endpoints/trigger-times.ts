/**
 * Times of the changes behind a service's endpoints: a pod became ready or not ready, or the service was created.
 * Written into an annotation, from which others measure how long a change takes to arrive.
 */
import type { PodRecord } from "./pod-record.ts"

/** Neutral name. */
export const triggerTimeAnnotation = "endpoints.orch.io/last-change-trigger-time"

interface Seen {
  readonly service: string
  /** The time since which each pod is ready or not ready, by its name. */
  readonly pods: ReadonlyMap<string, string>
}

export interface Trigger {
  /** The first change since the last write; undefined when no change has a time. */
  readonly since: string | undefined
  /** Called when the endpoints are written, or need no write; later triggers start from there. */
  readonly written: () => void
}

/**
 * The state of each service that one controller has seen. After a restart, as in the reference, the trigger of a
 * service is its creation. Times are texts in UTC with whole seconds, which sort like the times.
 */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>()

  /** Called for a service that is being processed, by its key. `created`: its creation timestamp. */
  triggerOf(key: string, created: string, selected: readonly PodRecord[]): Trigger {
    const before = this.seen.get(key)
    const pods = new Map(selected.map(({ name, readySince }) => [name, readySince]))
    const written = (): void => {
      this.seen.set(key, { service: created, pods })
    }
    if (before === undefined) return { since: created === "" ? undefined : created, written }
    let since = created > before.service ? created : undefined
    for (const [name, time] of pods) if (time > (before.pods.get(name) ?? "") && (since === undefined || time < since)) since = time
    return { since, written }
  }

  /** Called when a service is gone. */
  forget(key: string): void {
    this.seen.delete(key)
  }
}

/** Annotations with the trigger time, or without one. */
export function withTrigger(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
  { since }: Pick<Trigger, "since">,
): Record<string, string> {
  const { [name]: _before, ...others } = annotations ?? {}
  return since === undefined ? others : { ...others, [name]: since }
}
