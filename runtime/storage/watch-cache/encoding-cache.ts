/**
 * LRU cache of everything that can be derived again from an object's bytes: other versions, the compact encoding, watch
 * frames, decoded labels and fields. One byte budget for a whole cache, so that a rarely read resource cannot hold
 * memory that a busy one needs.
 */
import { ownBytes } from "../../base/own-bytes.ts"

/** Labels and selectable fields of one object version, as the codec read them. */
export interface Description {
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** The owner of encodings. Their chain starts here, so that replacing an object finds its encodings without a table. */
export interface EncodingHolder {
  encodings: Encoding | undefined
}

/** One kept encoding. `newer` and `older` order all encodings by last use; `sibling` chains the holder's encodings. */
export interface Encoding {
  readonly holder: EncodingHolder
  readonly name: string
  readonly content: Buffer | Description
  readonly sizeBytes: number
  newer: Encoding | undefined
  older: Encoding | undefined
  sibling: Encoding | undefined
}

/** Bookkeeping per encoding (record, chain, Buffer object), charged to the budget so that many small ones count. */
const overheadBytes = 256

/** Called by cached objects on every `derived`, `labels` and `field`. */
export class EncodingCache {
  private newest: Encoding | undefined
  private oldest: Encoding | undefined
  private used = 0

  constructor(private readonly limitBytes: number) {}

  /** Size of all encodings, bookkeeping included; never above the limit. Read by metrics and tests. */
  get usedBytes(): number {
    return this.used
  }

  /**
   * The content kept under `name`, which becomes the most recently used; undefined when it was evicted or never made.
   */
  find(holder: EncodingHolder, name: string): Buffer | Description | undefined {
    for (let form = holder.encodings; form !== undefined; form = form.sibling) {
      if (form.name !== name) continue
      if (form !== this.newest) {
        this.unlink(form)
        this.linkNewest(form)
      }
      return form.content
    }
    return undefined
  }

  /** The holder of the next encoding to evict if `contentBytes` more were kept; undefined while there is room. */
  evictionCandidate(contentBytes: number): EncodingHolder | undefined {
    return this.used + contentBytes + overheadBytes > this.limitBytes ? this.oldest?.holder : undefined
  }

  /** Keeps `content` unless it is larger than the whole budget. The caller ensures that `name` is not kept already. */
  keep(holder: EncodingHolder, name: string, content: Buffer | Description, contentBytes: number): void {
    const sizeBytes = contentBytes + overheadBytes
    if (sizeBytes > this.limitBytes) return
    while (this.used + sizeBytes > this.limitBytes && this.oldest !== undefined) this.drop(this.oldest)
    const kept = Buffer.isBuffer(content) ? ownBytes(content) : content
    const form: Encoding = { holder, name, content: kept, sizeBytes, newer: undefined, older: undefined, sibling: holder.encodings }
    holder.encodings = form
    this.linkNewest(form)
    this.used += sizeBytes
  }

  /** Called when an object was replaced or deleted: its encodings will not be needed again. */
  dropAll(holder: EncodingHolder): void {
    for (let form = holder.encodings; form !== undefined; form = form.sibling) {
      this.unlink(form)
      this.used -= form.sizeBytes
    }
    holder.encodings = undefined
  }

  private drop(form: Encoding): void {
    this.unlink(form)
    this.used -= form.sizeBytes
    const { holder } = form
    if (holder.encodings === form) {
      holder.encodings = form.sibling
      return
    }
    for (let before = holder.encodings; before !== undefined; before = before.sibling) {
      if (before.sibling === form) {
        before.sibling = form.sibling
        return
      }
    }
  }

  private linkNewest(form: Encoding): void {
    form.older = this.newest
    form.newer = undefined
    if (this.newest !== undefined) this.newest.newer = form
    this.newest = form
    this.oldest ??= form
  }

  private unlink(form: Encoding): void {
    if (form.newer === undefined) this.newest = form.older
    else form.newer.older = form.older
    if (form.older === undefined) this.oldest = form.newer
    else form.older.newer = form.newer
  }
}
