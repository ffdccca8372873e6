/** An informer: delivers all objects of a kind, then every change. */
import { awaitFreshness } from "../registry/read.ts"
import type { KindHandle } from "../registry/registry.ts"
import type { Kind } from "../schema/kind.ts"
import type { CachedObject, CacheEvent, Subscription } from "../storage/cache.ts"
import { StoreError } from "../storage/store.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"

export interface EventHandler {
  /** All existing objects: at first, and again whenever events may have been lost. */
  onState(objects: Iterable<CachedObject>, handle: KindHandle): void
  onEvents(events: readonly CacheEvent[], handle: KindHandle): void
}

const retryMs = 1000

/**
 * Called by a controller, once per kind. Resolves once the first state is delivered, or has failed and a retry is
 * scheduled. When the definition of the kind changes, the state is delivered again; when it goes, nothing follows.
 */
export async function startInformer(deps: ControllerDeps, kind: Kind, follower: EventHandler): Promise<Controller> {
  const { registry, clock, log } = deps
  let subscription: Subscription | undefined
  let cancel = (): void => {}
  let stopped = false

  async function begin(): Promise<void> {
    if (stopped) return
    try {
      const current = registry.deps.kinds.current(kind)
      if (current === undefined) return
      const handle = await registry.handle(current)
      await awaitFreshness(registry, handle, { mode: "most-recent" })
      if (!stopped) subscription = subscribe(handle)
    } catch (error) {
      later(error)
    }
  }

  function subscribe(handle: KindHandle): Subscription {
    const snapshot = handle.cache.snapshot()
    // Bounded: the follower iterates, and followers that decode objects do so in turns (paced-informer.ts).
    follower.onState(snapshot.entries({ prefix: handle.prefix("") }), handle)
    return handle.cache.subscribe({
      prefix: "",
      afterRevision: snapshot.revision,
      onEvents: (events) => follower.onEvents(events, handle),
      onEnd: later,
    })
  }

  function later(error: unknown): void {
    subscription = undefined
    if (stopped) return
    if (error instanceof StoreError && error.code === "released") {
      void begin()
      return
    }
    log.warn({ kind: kind.kind, error: errorText(error) }, "a background watch has ended and restarts")
    cancel = clock.after(retryMs, () => void begin())
  }

  await begin()
  return {
    async stop() {
      stopped = true
      cancel()
      subscription?.stop()
    },
  }
}
