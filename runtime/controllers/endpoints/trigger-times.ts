/**
 * When what changed the endpoints of a service had happened: a pod became ready, or not, or the service was made. It is
 * written into an annotation, from which others measure how long a change takes to reach them.
 */
import type { PodRecord } from "./pod-record.ts"

/** Neutral name. */
export const triggerTimeAnnotation = "endpoints.orch.io/last-change-trigger-time"

interface Seen {
  readonly service: string
  /** Since when the pods are ready, or not, by their names. */
  readonly pods: ReadonlyMap<string, string>
}

export interface Trigger {
  /** The first of the changes since the last write; undefined when none of them has a time. */
  readonly since: string | undefined
  /** Called when the endpoints are written, or need no write: the next trigger is later. */
  readonly written: () => void
}

/**
 * What one controller has seen of each service. After a restart, and as in the reference, the trigger of a service is
 * that it was made. Times are texts in UTC with whole seconds, in the order of the times.
 */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>()

  /** Called for a service, by its key, that is brought up to date. `created`: when it was made. */
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

/** Annotations with the time of the trigger, or without one. */
export function withTrigger(
  annotations: Readonly<Record<string, string>> | undefined,
  name: string,
  { since }: Pick<Trigger, "since">,
): Record<string, string> {
  const { [name]: _before, ...others } = annotations ?? {}
  return since === undefined ? others : { ...others, [name]: since }
}
