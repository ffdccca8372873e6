/**
 * Values that a client has sent in another form than the stored one: an empty list that is read as null, a quantity of
 * `0.5`. The reference compares such a value with the stored one as it was sent, so the writer becomes the manager of
 * the field, or of the list around it that has one manager, with each such write.
 */
import type { ApiObject, JsonValue } from "../base/json.ts"
import { parseQuantity, type Quantity } from "../base/quantity.ts"

/** Names and indexes from the root of an object to a value. */
export type SentForm = readonly (string | number)[]

const formsOf = new WeakMap<ApiObject, readonly SentForm[]>()

/** Called with a decoded object, before any other code changes it. */
export function keepSentForms(object: ApiObject, forms: readonly SentForm[]): void {
  if (forms.length > 0) formsOf.set(object, forms)
}

/**
 * The outermost atomic lists with such a value, and such values outside of them, in the order of the document;
 * undefined for none. Asked when the managers of a write are found.
 */
export function sentForms(object: ApiObject): readonly SentForm[] | undefined {
  return formsOf.get(object)
}

/** Gathers the sent forms of one document while it is decoded. */
export class SentForms {
  readonly found: SentForm[] = []
  /** The outermost atomic list around the current value, by the number of steps to it. */
  list: AtomicList | undefined

  /** Called for an empty list, map or text of bytes, and for null in its place; `steps` lead to it. */
  addEmpty(steps: SentForm, isRead: boolean): void {
    if (this.list !== undefined) this.addWithin(steps)
    // Outside of such lists it counts only where another value is read in its place.
    else if (isRead) this.found.push([...steps])
  }

  /** Called for a quantity; `read` is its stored text. */
  addQuantity(steps: SentForm, sent: JsonValue, read: string): void {
    if (this.list !== undefined && sent !== read && !isSameQuantity(parseQuantity(sent), parseQuantity(read))) this.addWithin(steps)
  }

  /** Called for a value that counts only within an atomic list. */
  addWithin(steps: SentForm): void {
    const { list } = this
    if (list === undefined || list.isFound) return
    list.isFound = true
    this.found.push(steps.slice(0, list.steps))
  }
}

/** A list that is owned whole, in the document. */
export interface AtomicList {
  /** The number of steps that lead to it. */
  readonly steps: number
  isFound: boolean
}

function isSameQuantity(left: Quantity, right: Quantity): boolean {
  return (
    left.mantissa === right.mantissa &&
    left.exponent === right.exponent &&
    left.format === right.format &&
    left.text === right.text &&
    left.unlimited === right.unlimited
  )
}
