/** The compact messages of a list, whose lengths stand before their contents. */
import type { ListPage } from "../../registry/read.ts"
import type { KindHandle } from "../../registry/registry.ts"
import { copyWork, encodeWork, parseWork } from "../../base/work.ts"
import type { CachedObject, ObjectRange } from "../../storage/cache.ts"
import type { Turns } from "../../base/turns.ts"
import { type FramedItems, frameItems, type ItemSize } from "../../wire/list-protobuf.ts"
import { protobufMessageOf } from "../represent.ts"

/** Bytes of a message of another version than the stored one that is not made a second time to learn its length: for less the note would cost too much. */
const notedMin = 8 * 1024

/**
 * Lengths of messages that were encoded from an object's JSON, in the version that was asked for last; those of the stored version are noted on the object.
 * The JSON of a version stays the same, and so do they: a list of objects that do not fit the budget of forms is encoded once instead of twice. Ten lists at
 * a time of 10,000 objects of 100 KB, which go on in step and share what one of them has encoded, take 1.4 s of CPU each instead of 4.9.
 */
const noted = new WeakMap<CachedObject, ItemSize & { readonly apiVersion: string }>()

/** A form that is made of the message at hand, or else of JSON. */
interface MessageForm {
  /** Among the forms of runs. */
  readonly name: string
  message(object: CachedObject): Uint8Array
}

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
    /** Counts what messages take to make. */
    private readonly turns: Turns,
    /** Messages of another form that is made of the objects' own; the objects themselves when absent. */
    private readonly form?: MessageForm,
  ) {}

  /** Called once, and gone through to its end before the messages. */
  *sizes(): Generator<ItemSize | FramedItems> {
    const { items, runs } = this.page
    if (runs === undefined) for (const object of items) yield this.hold(object)
    else for (const run of runs) yield* this.sizesOf(run)
  }

  *[Symbol.iterator](): Generator<Uint8Array | FramedItems> {
    for (const each of this.found) yield "framed" in each ? each : this.message(each)
  }

  /** Called once, when nobody goes through them any more. */
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

/** The pieces of a list of the messages, which are released once those are written or nobody wants more of them. */
export function* releasing(messages: HeldMessages, pieces: Iterable<Uint8Array | Turns>): Generator<Uint8Array | Turns> {
  try {
    yield* pieces
  } finally {
    messages.release()
  }
}
