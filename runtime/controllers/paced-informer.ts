/**
 * An informer whose objects are handled in turns of the event loop. A controller that decodes what it sees uses it: the
 * first state of ten thousand pods would otherwise hold every request.
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
 * What a handler does: all of it at once; in stages, each of which is a turn if the object is large; or in turns of its
 * own, which it awaits.
 */
export type Handling = void | Stages<void> | Promise<void>

/** Called in the order of the store's revisions, never twice at a time. */
export interface PacedHandler {
  /** A state begins: what was seen before and is not given until `end` is gone. */
  begin?(): void
  /** One object of a state. */
  object(object: CachedObject): Handling
  end?(): void | Stages<void>
  event(event: CacheEvent): Handling
}

export interface PacedInformer extends Controller {
  /** Resolves when the first state was received, or when that failed and is tried again. */
  readonly following: Promise<unknown>
  /** Resolves when everything that was received is handled. */
  settled(): Promise<void>
}

/** What a handler does with an object that it has decoded, in the unit of `base/work.ts`: measured with pods. */
const handleWork = 20

/** One state, or the events of one delivery. */
type Batch = { readonly objects: Iterable<CachedObject> } | { readonly events: readonly CacheEvent[] }

/**
 * What informers have received and their controller has not handled yet, in the order of arrival. The informers of a
 * controller that compares kinds with each other share one: it then sees the changes of all kinds in their order.
 */
export class Backlog {
  private waiting: ({ readonly of: Paced; readonly batch: Batch } | { readonly reached: () => void })[] = []
  private handling: Promise<void> | undefined

  /** A new state replaces what was not handled yet of the same informer. */
  add(of: Paced, batch: Batch): void {
    if ("objects" in batch) this.drop(of)
    this.waiting.push({ of, batch })
    this.handling ??= this.handle()
  }

  drop(of: Paced): void {
    this.waiting = this.waiting.filter((one) => "reached" in one || one.of !== of)
  }

  /** Resolves when everything that was received before the call is handled. */
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
      // Without a wait since nothing was left: what comes later begins another round.
      this.handling = undefined
    }
  }
}

/**
 * Called by a controller, once per kind. Values that cannot be decoded are left out; the cache reports them. `backlog`:
 * one that several informers share.
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

  /** A large object is handled in a turn of its own: what delivered it may have worked on it in this one. */
  private async visit(object: CachedObject, turns: Turns, handle: () => Handling): Promise<void> {
    if (this.stopped) return
    if (takesTurns(object.sizeBytes)) await turns.next()
    const work = this.one(object, handle)
    if (turns.isOver(typeof work === "number" ? work : await work)) await turns.next()
  }

  /** Returns the work that it was, at most: whether the handler decodes the object is not known. */
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

  /** The last stage is charged as a turn of its own. */
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
