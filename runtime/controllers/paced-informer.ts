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
 * Called in the order of the store's revisions, never twice at a time. A handler for objects that may be large returns
 * its work in stages, each of which is then a turn.
 */
export interface PacedHandler {
  /** A state begins: what was seen before and is not given until `end` is gone. */
  begin?(): void
  /** One object of a state. */
  object(object: CachedObject): void | Stages<void>
  end?(): void | Stages<void>
  event(event: CacheEvent): void | Stages<void>
}

export interface PacedInformer extends Controller {
  /** Resolves when everything that was received is handled. */
  settled(): Promise<void>
}

/** What a handler does with an object that it has decoded, in the unit of `base/work.ts`: measured with pods. */
const handleWork = 20

/** One state, or the events of one delivery. */
type Batch = { readonly objects: Iterable<CachedObject> } | { readonly events: readonly CacheEvent[] }

/** Called by a controller, once per kind. Values that cannot be decoded are left out; the cache reports them. */
export function startPacedInformer(deps: ControllerDeps, kind: Kind, handler: PacedHandler): PacedInformer {
  return new Paced(deps, kind, handler)
}

class Paced implements PacedInformer {
  private batches: Batch[] = []
  private handling: Promise<void> | undefined
  private stopped = false
  private readonly following: Promise<Controller>

  constructor(
    private readonly deps: ControllerDeps,
    private readonly kind: Kind,
    private readonly handler: PacedHandler,
  ) {
    this.following = startInformer(deps, kind, {
      // A new state replaces what was not handled yet.
      onState: (objects) => this.receive([{ objects }]),
      onEvents: (events) => this.receive([...this.batches, { events }]),
    })
  }

  async settled(): Promise<void> {
    await this.following
    while (this.handling !== undefined) await this.handling
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.batches = []
    await (await this.following).stop()
    await this.handling
  }

  private receive(batches: Batch[]): void {
    if (this.stopped) return
    this.batches = batches
    this.handling ??= this.handle().finally(() => {
      this.handling = undefined
    })
  }

  private async handle(): Promise<void> {
    const turns = new Turns()
    for (let batch = this.batches.shift(); batch !== undefined; batch = this.batches.shift()) {
      if ("objects" in batch) {
        this.handler.begin?.()
        await this.each(batch.objects, turns, (object) => this.one(object, () => this.handler.object(object)))
        const stages = this.stopped ? undefined : this.handler.end?.()
        if (stages !== undefined) await inTurns(stages)
      } else await this.each(batch.events, turns, (event) => this.one(event.object, () => this.handler.event(event)))
    }
  }

  private async each<Item>(items: Iterable<Item>, turns: Turns, visit: (item: Item) => number | Promise<number>): Promise<void> {
    for (const item of items) {
      if (this.stopped) return
      const work = visit(item)
      if (turns.isOver(typeof work === "number" ? work : await work)) await turns.next()
    }
  }

  /** Returns the work that it was, at most: whether the handler decodes the object is not known. */
  private one(object: CachedObject, handle: () => void | Stages<void>): number | Promise<number> {
    const work = handleWork + readWork(object)
    try {
      const stages = handle()
      if (stages !== undefined && takesTurns(object.sizeBytes)) return this.staged(object, stages)
      if (stages !== undefined) atOnce(stages)
    } catch (error) {
      this.note(error, object)
    }
    return work
  }

  /** The last stage is charged as a turn of its own. */
  private async staged(object: CachedObject, stages: Stages<void>): Promise<number> {
    try {
      await inTurns(stages)
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
