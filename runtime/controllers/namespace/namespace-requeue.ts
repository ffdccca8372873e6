/** Queues a namespace again when content that is held by other writers' finalizers changes. */
import type { Clock } from "../../base/clock.ts"
import type { Subscription } from "../../storage/cache.ts"
import type { RemainingResource } from "./namespace-content.ts"

/** Delay of an update of the conditions: each update reads all remaining content. */
const refreshMs = 1000

interface Wait {
  readonly subscriptions: Subscription[]
  /** Set while a sweep is scheduled. */
  cancel?: () => void
}

/**
 * Queues the namespace at once when a resource has become empty, otherwise at most once a second while anything
 * changes: ten thousand objects may disappear one by one.
 */
export class NamespaceRequeue {
  private readonly waits = new Map<string, Wait>()

  constructor(private readonly options: { clock: Clock; again: (name: string) => void }) {}

  /** Called with the remaining resources; replaces earlier subscriptions of the namespace. */
  begin(name: string, remaining: readonly RemainingResource[]): void {
    this.end(name)
    const wait: Wait = { subscriptions: [] }
    this.waits.set(name, wait)
    const { again } = this.options
    for (const { handle, revision } of remaining) {
      const isEmpty = (): boolean => handle.cache.snapshot().count({ prefix: handle.prefix(name) }) === 0
      wait.subscriptions.push(
        handle.cache.subscribe({
          prefix: `${name}/`,
          afterRevision: revision,
          onEvents: () => (isEmpty() ? again(name) : this.soon(name, wait)),
          onEnd: () => again(name),
        }),
      )
    }
  }

  /** Called when the namespace is processed. */
  end(name: string): void {
    const wait = this.waits.get(name)
    this.waits.delete(name)
    wait?.cancel?.()
    for (const subscription of wait?.subscriptions ?? []) subscription.stop()
  }

  stop(): void {
    for (const name of [...this.waits.keys()]) this.end(name)
  }

  private soon(name: string, wait: Wait): void {
    const { clock, again } = this.options
    wait.cancel ??= clock.after(refreshMs, () => again(name))
  }
}
