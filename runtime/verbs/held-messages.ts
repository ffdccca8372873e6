/** The compact messages of a list, which is gone through twice: lengths stand before contents. */
import type { ListPage } from "../registry/read.ts"
import type { KindHandle } from "../registry/registry.ts"
import type { CachedObject, ObjectRun } from "../storage/cache.ts"
import { type FramedItems, frameItems } from "../wire/list-compact.ts"
import { compactMessageOf } from "./represent.ts"

/**
 * Messages of objects, for two passes. What the first one finds at hand stays there for the second, until it is released: as soon as somebody asks for
 * an object's JSON its message is encoded from that, and has another length where another program stored fields that are unknown here.
 */
export class HeldMessages implements Iterable<Uint8Array | FramedItems> {
  private readonly held: CachedObject[] = []
  /** What the first pass went through; the second goes through the same. */
  private readonly found: (CachedObject | FramedItems)[] = []
  private passes = 0

  constructor(
    private readonly handle: KindHandle,
    private readonly page: Pick<ListPage, "items" | "runs">,
  ) {}

  [Symbol.iterator](): Iterator<Uint8Array | FramedItems> {
    return this.passes++ === 0 ? this.first() : this.second()
  }

  /** Called once, when nobody goes through them any more. */
  release(): void {
    for (const object of this.held.splice(0)) object.releaseMessage?.()
  }

  private *first(): Generator<Uint8Array | FramedItems> {
    const { items, runs } = this.page
    if (runs === undefined) for (const object of items) yield this.hold(object)
    else for (const run of runs) yield* this.firstOf(run)
  }

  private *firstOf(run: ObjectRun): Generator<Uint8Array | FramedItems> {
    const objects = run.objects.slice(run.start, run.end)
    const messages = (): Buffer => frameItems(objects.map((object) => compactMessageOf(this.handle, object)))
    const framed = run.gathered(`list:compact:${this.handle.apiVersion}`, messages)
    if (framed === undefined) for (const object of objects) yield this.hold(object)
    else {
      this.found.push({ framed })
      yield { framed }
    }
  }

  private *second(): Generator<Uint8Array | FramedItems> {
    for (const each of this.found) yield "framed" in each ? each : compactMessageOf(this.handle, each)
  }

  private hold(object: CachedObject): Uint8Array {
    const { handle } = this
    this.found.push(object)
    const stored = handle.kind === handle.stored ? object.holdMessage?.() : undefined
    if (stored === undefined) return compactMessageOf(handle, object)
    this.held.push(object)
    return stored
  }
}

/** The pieces of a list of the messages, which are released once those are written or nobody wants more of them. */
export function* releasing(messages: HeldMessages, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    messages.release()
  }
}
