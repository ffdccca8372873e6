/**
 * The base of most controllers: changes of some kinds produce keys, and the work on a key brings the objects that it
 * names to their desired state. All state is in the objects, so the work may be repeated, resumed after a restart, and
 * done by two servers at once.
 */
import type { ResourceName } from "../admission/plugin.ts"
import type { CachedObject, CacheEvent } from "../storage/cache.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import { runEvery } from "./interval.ts"
import { type PacedInformer, startPacedInformer } from "./paced-informer.ts"
import { createWorkQueue } from "./work-queue.ts"

export interface KeyedController extends Controller {
  /** Resolves when there is nothing to do until something changes or time passes. For tests. */
  idle(): Promise<void>
}

/** Adds keys to process, now or later. */
export interface Keys {
  add(key: string): void
  addAfter(key: string, delayMs: number): void
}

/** A kind whose objects produce keys. */
export interface Watched {
  readonly kind: ResourceName
  /** Called with every object at first, and then with each change. */
  readonly changed: (object: CachedObject, keys: Keys, event?: CacheEvent) => void
}

export interface KeyedOptions {
  /** The name of the queue in the reference's metrics. */
  readonly queue: string
  /** Logged when the work on a key fails; the key is retried later. */
  readonly fault: string
  /** Keys that are worked on in parallel; default 1. */
  readonly workers?: number
  readonly watched: readonly Watched[]
  readonly work: (key: string, keys: Keys) => Promise<void>
  /** Called once before the first key, with the target for keys from other sources. */
  readonly begin?: (keys: Keys) => void
  /** Called at intervals to add keys although nothing has changed. Absent: no resync. */
  readonly resync?: { readonly everyMs: number; readonly add: (keys: Keys) => void }
}

/** Called by a controller when it starts. Skips kinds that the server does not have. */
export function startKeyedController(deps: ControllerDeps, options: KeyedOptions): KeyedController {
  const { clock, log, meters } = deps
  const meter = meters?.(options.queue)
  const queue = createWorkQueue({
    clock,
    ...(meter !== undefined && { meter }),
    ...(options.workers !== undefined && { workers: options.workers }),
    work: (key) => options.work(key, queue),
    // Logs would redact a field called `key`.
    onError: (error, key) => log.warn({ object: key, error: errorText(error) }, options.fault),
  })
  options.begin?.(queue)
  const informers = options.watched.flatMap((watched) => follow(deps, watched, queue))
  const { resync } = options
  const ticks = resync === undefined ? [] : [tick(deps, resync, queue)]
  return {
    async idle() {
      await Promise.all(informers.map((informer) => informer.settled()))
      await queue.idle()
    },
    async stop() {
      await Promise.all([...informers, ...ticks].map((part) => part.stop()))
      await queue.stop()
    },
  }
}

function follow(deps: ControllerDeps, { kind, changed }: Watched, keys: Keys): PacedInformer[] {
  const found = deps.registry.deps.kinds.find(kind.group, kind.version, kind.resource)
  if (found === undefined) return []
  return [
    startPacedInformer(deps, found, {
      object: (object) => changed(object, keys),
      event: (event) => changed(event.object, keys, event),
    }),
  ]
}

function tick({ clock, log }: ControllerDeps, { everyMs, add }: NonNullable<KeyedOptions["resync"]>, keys: Keys): Controller {
  return runEvery({
    clock,
    intervalMs: everyMs,
    task: async () => add(keys),
    onError: (error) => log.warn({ error: errorText(error) }, "a controller could not look at everything again"),
  })
}

/**
 * The key of an object, made of its namespace and name; `placeOf` is the inverse. Cluster-scoped objects have only a
 * name.
 */
export function keyOf(object: CachedObject): string {
  const namespace = object.field("metadata.namespace")
  const name = object.field("metadata.name")
  return namespace === "" ? name : `${namespace}/${name}`
}

/** Called by the work on a key made by `keyOf`. */
export function placeOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/")
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) }
}
