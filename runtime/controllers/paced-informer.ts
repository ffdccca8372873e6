/**
 * An informer that handles objects in turns of the event loop, for controllers that decode objects: the first state of
 * ten thousand pods would otherwise block every request.
 */
import { turnWorkMax } from "../base/limits.ts"
import { readWork } from "../base/work.ts"
import { atOnce, inTurns, type Stages, takesTurns, Turns } from "../base/turns.ts"
import type { Kind } from "../schema/kind.ts"
import { type CachedObject, type CacheEvent, UndecodableError } from "../storage/cache.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import { startInformer } from "./informer.ts"

/**
 * Work of a handler: all at once; in stages, each a turn if the object is large; or asynchronously, in its own turns.
 */
export type Handling = void | Stages<void> | Promise<void>

/** Called in the order of the store's revisions, one call at a time. */
export interface PacedHandler {
  /** A state begins: objects seen earlier and not given until `end` are gone. */
  begin?(): void
  /** One object of a state. */
  object(object: CachedObject): Handling
  end?(): void | Stages<void>
  event(event: CacheEvent): Handling
}

export interface PacedInformer extends Controller {
  /** Resolves when the first state was received, or its request has failed and is retried. */
  readonly following: Promise<unknown>
  /** Resolves when all received objects are handled. */
  settled(): Promise<void>
}

/** Work of handling a decoded object, in the unit of `base/work.ts`: measured with pods. */
const handleWork = 20

/** One state, or the events of one delivery. */
type Batch = { readonly objects: Iterable<CachedObject> } | { readonly events: readonly CacheEvent[] }

/**
 * Objects and events that informers have received and their controller has not handled yet, in order of arrival. A
 * controller that compares kinds with each other shares one among its informers, so that it sees the changes of all
 * kinds in their order.
 */
export class Backlog {
  private waiting: ({ readonly of: Paced; readonly batch: Batch } | { readonly reached: () => void })[] = []
  private handling: Promise<void> | undefined

  /** A new state replaces the unhandled batches of the same informer. */
  add(of: Paced, batch: Batch): void {
    if ("objects" in batch) this.drop(of)
    this.waiting.push({ of, batch })
    this.handling ??= this.handle()
  }

  drop(of: Paced): void {
    this.waiting = this.waiting.filter((one) => "reached" in one || one.of !== of)
  }

  /** Resolves when everything received before the call is handled. */
  async caughtUp(): Promise<void> {
    if (this.handling !== undefined) await new Promise<void>((resolve) => this.waiting.push({ reached: resolve }))
  }

  /** Resolves when nothing is left to handle. */
  async settled(): Promise<void> {
    while (this.handling !== undefined) await this.handling
  }

  private async handle(): Promise<void> {
    const turns = new Turns()
    try {
      for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
        if ("reached" in next) next.reached()
        else await next.of.handle(next.batch, turns)
      }
    } finally {
      // Set synchronously once nothing is left: later batches begin another round.
      this.handling = undefined
    }
  }
}

/**
 * Called by a controller, once per kind. Skips values that cannot be decoded; the cache reports them. `backlog`: shared
 * by several informers.
 */
export function startPacedInformer(
  deps: ControllerDeps,
  kind: Kind,
  handler: PacedHandler,
  backlog: Backlog = new Backlog(),
): PacedInformer {
  return new Paced(deps, kind, handler, backlog)
}

class Paced implements PacedInformer {
  private stopped = false
  readonly following: Promise<Controller>

  constructor(
    private readonly deps: ControllerDeps,
    private readonly kind: Kind,
    private readonly handler: PacedHandler,
    private readonly backlog: Backlog,
  ) {
    this.following = startInformer(deps, kind, {
      onState: (objects) => this.receive({ objects }),
      onEvents: (events) => this.receive({ events }),
    })
  }

  async settled(): Promise<void> {
    await this.following
    await this.backlog.settled()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.backlog.drop(this)
    await (await this.following).stop()
    await this.backlog.caughtUp()
  }

  private receive(batch: Batch): void {
    if (!this.stopped) this.backlog.add(this, batch)
  }

  /** Called by the backlog. */
  async handle(batch: Batch, turns: Turns): Promise<void> {
    if ("events" in batch) {
      for (const event of batch.events) await this.visit(event.object, turns, () => this.handler.event(event))
      return
    }
    this.handler.begin?.()
    for (const object of batch.objects) {
      if (this.stopped) return
      await this.visit(object, turns, () => this.handler.object(object))
    }
    const stages = this.stopped ? undefined : this.handler.end?.()
    if (stages !== undefined) await inTurns(stages)
  }

  /**
   * Handles a large object in a separate turn: the current turn may already have worked on it when it was delivered.
   */
  private async visit(object: CachedObject, turns: Turns, handle: () => Handling): Promise<void> {
    if (this.stopped) return
    if (takesTurns(object.sizeBytes)) await turns.next()
    const work = this.one(object, handle)
    if (turns.isOver(typeof work === "number" ? work : await work)) await turns.next()
  }

  /** Returns an upper bound of the work: whether the handler decodes the object is unknown. */
  private one(object: CachedObject, handle: () => Handling): number | Promise<number> {
    const work = handleWork + readWork(object)
    try {
      const handling = handle()
      if (handling instanceof Promise) return this.awaited(object, handling)
      if (handling !== undefined && takesTurns(object.sizeBytes)) return this.awaited(object, inTurns(handling))
      if (handling !== undefined) atOnce(handling)
    } catch (error) {
      this.note(error, object)
    }
    return work
  }

  /** The last stage is charged as a separate turn. */
  private async awaited(object: CachedObject, handling: Promise<void>): Promise<number> {
    try {
      await handling
    } catch (error) {
      this.note(error, object)
    }
    return turnWorkMax
  }

  private note(error: unknown, { key }: CachedObject): void {
    if (error instanceof UndecodableError) return
    this.deps.log.warn({ kind: this.kind.kind, object: key, error: errorText(error) }, "a controller could not read an object")
  }
}
