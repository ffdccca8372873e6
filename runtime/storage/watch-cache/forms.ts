/**
 * LRU cache of everything that can be derived again from an object's bytes: other versions, the compact encoding, watch
 * frames, decoded labels and fields. One byte budget for a whole cache, so that a rarely read resource cannot hold
 * memory that a busy one needs.
 */

/** Labels and selectable fields of one object version, as the codec read them. */
export interface Description {
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** The owner of encodings. Their chain starts here, so that replacing an object finds its encodings without a table. */
export interface FormHolder {
  forms: Form | undefined
}

/** One kept encoding. `newer` and `older` order all encodings by last use; `sibling` chains those of one holder. */
export interface Form {
  readonly holder: FormHolder
  readonly name: string
  readonly content: Buffer | Description
  readonly sizeBytes: number
  newer: Form | undefined
  older: Form | undefined
  sibling: Form | undefined
}

/** Bookkeeping per encoding (record, chain, Buffer object), charged to the budget so that many small ones count. */
const overheadBytes = 256

/** Called by cached objects on every `derived`, `labels` and `field`. */
export class FormBudget {
  private newest: Form | undefined
  private oldest: Form | undefined
  private used = 0

  constructor(private readonly limitBytes: number) {}

  /** Size of all encodings, bookkeeping included; never above the limit. Read by metrics and tests. */
  get usedBytes(): number {
    return this.used
  }

  /**
   * The content kept under `name`, which becomes the most recently used; undefined when it was evicted or never made.
   */
  find(holder: FormHolder, name: string): Buffer | Description | undefined {
    for (let form = holder.forms; form !== undefined; form = form.sibling) {
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
  inTheWay(contentBytes: number): FormHolder | undefined {
    return this.used + contentBytes + overheadBytes > this.limitBytes ? this.oldest?.holder : undefined
  }

  /** Keeps `content` unless it is larger than the whole budget. The caller ensures that `name` is not kept already. */
  keep(holder: FormHolder, name: string, content: Buffer | Description, contentBytes: number): void {
    const sizeBytes = contentBytes + overheadBytes
    if (sizeBytes > this.limitBytes) return
    while (this.used + sizeBytes > this.limitBytes && this.oldest !== undefined) this.drop(this.oldest)
    const form: Form = { holder, name, content, sizeBytes, newer: undefined, older: undefined, sibling: holder.forms }
    holder.forms = form
    this.linkNewest(form)
    this.used += sizeBytes
  }

  /** Called when an object was replaced or deleted: its encodings will not be needed again. */
  dropAll(holder: FormHolder): void {
    for (let form = holder.forms; form !== undefined; form = form.sibling) {
      this.unlink(form)
      this.used -= form.sizeBytes
    }
    holder.forms = undefined
  }

  private drop(form: Form): void {
    this.unlink(form)
    this.used -= form.sizeBytes
    const { holder } = form
    if (holder.forms === form) {
      holder.forms = form.sibling
      return
    }
    for (let before = holder.forms; before !== undefined; before = before.sibling) {
      if (before.sibling === form) {
        before.sibling = form.sibling
        return
      }
    }
  }

  private linkNewest(form: Form): void {
    form.older = this.newest
    form.newer = undefined
    if (this.newest !== undefined) this.newest.newer = form
    this.newest = form
    this.oldest ??= form
  }

  private unlink(form: Form): void {
    if (form.newer === undefined) this.newest = form.older
    else form.newer.older = form.older
    if (form.older === undefined) this.oldest = form.newer
    else form.older.newer = form.newer
  }
}
