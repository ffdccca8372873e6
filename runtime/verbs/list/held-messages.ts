/** The protobuf messages of a list, whose lengths precede them. */
import type { ListPage } from "../../registry/read.ts"
import type { KindHandle } from "../../registry/registry.ts"
import { copyWork, encodeWork, parseWork } from "../../base/work.ts"
import type { CachedObject, ObjectRange } from "../../storage/cache.ts"
import type { Turns } from "../../base/turns.ts"
import { type FramedItems, frameItems, type ItemSize } from "../../wire/list-protobuf.ts"
import { protobufMessageOf } from "../represent.ts"

/**
 * Messages of at least this many bytes, in another version than the stored one, have their lengths cached. For smaller
 * ones an entry costs more than a second encoding.
 */
const notedMin = 8 * 1024

/**
 * Lengths of messages that were encoded from JSON, for the last requested version of each object; lengths in the stored
 * version are on the object itself. The JSON of an object version never changes, and neither does the length of its
 * message. So a list of objects that exceed the encoding cache is encoded once instead of twice. Ten concurrent lists
 * of 10,000 objects of 100 KB, which advance together and share encodings, take 1.4 s of CPU each instead of 4.9.
 */
const noted = new WeakMap<CachedObject, ItemSize & { readonly apiVersion: string }>()

/** Another form of an object, made from its protobuf message or from its JSON. */
interface MessageForm {
  /** Part of the key among the cached encodings of ranges. */
  readonly name: string
  message(object: CachedObject): Uint8Array
}

/**
 * Yields the sizes of a list, then the messages. A measured message is pinned until `release()`: re-encoding it from
 * JSON could change its length if another program stored unknown fields.
 */
export class HeldMessages implements Iterable<Uint8Array | FramedItems> {
  private readonly held: CachedObject[] = []
  /** The objects and ranges that `sizes` measured, for the second pass. */
  private readonly found: (CachedObject | FramedItems)[] = []

  constructor(
    private readonly handle: KindHandle,
    private readonly page: Pick<ListPage, "items" | "runs">,
    /** Accounts for the time to make messages. */
    private readonly turns: Turns,
    /** The form of the messages. Absent: the whole objects. */
    private readonly form?: MessageForm,
  ) {}

  /** Call it once, and iterate to the end before reading the messages. */
  *sizes(): Generator<ItemSize | FramedItems> {
    const { items, runs } = this.page
    if (runs === undefined) for (const object of items) yield this.hold(object)
    else for (const run of runs) yield* this.sizesOf(run)
  }

  *[Symbol.iterator](): Generator<Uint8Array | FramedItems> {
    for (const each of this.found) yield "framed" in each ? each : this.message(each)
  }

  /** Unpins the messages. Call it once, after the last pass. */
  release(): void {
    for (const object of this.held.splice(0)) object.unpinMessage?.()
  }

  private *sizesOf(run: ObjectRange): Generator<ItemSize | FramedItems> {
    const objects = run.objects.slice(run.start, run.end)
    const messages = (): Buffer => frameItems(objects.map((object) => this.message(object)))
    const framed = run.encoded(`list:compact:${this.form?.name ?? this.handle.apiVersion}`, messages)
    if (framed === undefined) for (const object of objects) yield this.hold(object)
    else {
      this.found.push({ framed })
      yield { framed }
    }
  }

  private hold(object: CachedObject): ItemSize {
    const { handle } = this
    this.found.push(object)
    const stored = handle.kind === handle.stored ? object.pinMessage?.() : undefined
    if (stored === undefined) return { length: this.encodedLength(object) }
    this.turns.isOver(copyWork(stored.length))
    this.held.push(object)
    return this.form === undefined ? stored : this.message(object)
  }

  private encodedLength(object: CachedObject): number {
    const { apiVersion, kind, stored } = this.handle
    if (this.form !== undefined) return this.message(object).length
    const known = kind === stored ? object.encodedBytes : notedLength(object, apiVersion)
    if (known !== undefined) return known
    const { length } = this.message(object)
    if (kind === stored) object.encodedBytes = length
    else if (length >= notedMin) noted.set(object, { apiVersion, length })
    return length
  }

  private message(object: CachedObject): Uint8Array {
    const { hasJson, sizeBytes } = object
    const message = this.form === undefined ? protobufMessageOf(this.handle, object) : this.form.message(object)
    const isStored = !hasJson && this.handle.kind === this.handle.stored
    this.turns.isOver(isStored ? copyWork(message.length) : parseWork(sizeBytes) + encodeWork(sizeBytes))
    return message
  }
}

function notedLength(object: CachedObject, apiVersion: string): number | undefined {
  const note = noted.get(object)
  return note?.apiVersion === apiVersion ? note.length : undefined
}

/** Yields the pieces of a list, and releases its messages when they are written or the iteration is abandoned. */
export function* releasing(messages: HeldMessages, pieces: Iterable<Uint8Array | Turns>): Generator<Uint8Array | Turns> {
  try {
    yield* pieces
  } finally {
    messages.release()
  }
}
