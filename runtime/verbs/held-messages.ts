/** The compact messages of a list, whose lengths stand before their contents. */
import type { ListPage } from "../registry/read.ts"
import type { KindHandle } from "../registry/registry.ts"
import type { CachedObject, ObjectRun } from "../storage/cache.ts"
import { type FramedItems, frameItems, type ItemSize } from "../wire/list-compact.ts"
import { compactMessageOf } from "./represent.ts"

/** Bytes of a message that is not made a second time to learn its length: for less the note would cost too much of what it is about. */
const notedMin = 8 * 1024

/**
 * Lengths of messages that were encoded from an object's JSON, in the version that was asked for last. The JSON of a version stays the same, and so do
 * they: a list of large objects that do not fit the budget of forms is encoded once instead of twice. Ten lists at a time of 10,000 objects of 100 KB, which
 * go on in step and share what one of them has encoded, take 1.4 s of CPU each instead of 4.9.
 */
const noted = new WeakMap<CachedObject, ItemSize & { readonly apiVersion: string }>()

/**
 * Messages of objects, first their sizes and then themselves. What is found at hand for a size stays there for the message, until it is released: as soon as
 * somebody asks for an object's JSON its message is encoded from that, and has another length where another program stored fields that are unknown here.
 */
export class HeldMessages implements Iterable<Uint8Array | FramedItems> {
  private readonly held: CachedObject[] = []
  /** What `sizes` went through; the messages are those of the same. */
  private readonly found: (CachedObject | FramedItems)[] = []

  constructor(
    private readonly handle: KindHandle,
    private readonly page: Pick<ListPage, "items" | "runs">,
  ) {}

  /** Called once, and gone through to its end before the messages. */
  *sizes(): Generator<ItemSize | FramedItems> {
    const { items, runs } = this.page
    if (runs === undefined) for (const object of items) yield this.hold(object)
    else for (const run of runs) yield* this.sizesOf(run)
  }

  *[Symbol.iterator](): Generator<Uint8Array | FramedItems> {
    for (const each of this.found) yield "framed" in each ? each : compactMessageOf(this.handle, each)
  }

  /** Called once, when nobody goes through them any more. */
  release(): void {
    for (const object of this.held.splice(0)) object.releaseMessage?.()
  }

  private *sizesOf(run: ObjectRun): Generator<ItemSize | FramedItems> {
    const objects = run.objects.slice(run.start, run.end)
    const messages = (): Buffer => frameItems(objects.map((object) => compactMessageOf(this.handle, object)))
    const framed = run.gathered(`list:compact:${this.handle.apiVersion}`, messages)
    if (framed === undefined) for (const object of objects) yield this.hold(object)
    else {
      this.found.push({ framed })
      yield { framed }
    }
  }

  private hold(object: CachedObject): ItemSize {
    const { handle } = this
    this.found.push(object)
    const stored = handle.kind === handle.stored ? object.holdMessage?.() : undefined
    if (stored === undefined) return encodedSize(handle, object)
    this.held.push(object)
    return stored
  }
}

function encodedSize(handle: KindHandle, object: CachedObject): ItemSize {
  const { apiVersion } = handle
  const before = noted.get(object)
  if (before?.apiVersion === apiVersion) return before
  const { length } = compactMessageOf(handle, object)
  if (length >= notedMin) noted.set(object, { apiVersion, length })
  return { length }
}

/** The pieces of a list of the messages, which are released once those are written or nobody wants more of them. */
export function* releasing(messages: HeldMessages, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    messages.release()
  }
}
