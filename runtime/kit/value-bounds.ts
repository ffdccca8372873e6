/** How much one document may hold, whatever its encoding. */
import { type ApiError, tooLarge } from "../errors.ts"
import { documentValuesMax, objectFieldsMax } from "../limits.ts"

/** More values than any text can hold: of documents that this server has written itself. */
export const unboundedValues = 2 ** 30

/** The fault of a document with more values than `limit`. Thrown while it is decoded. */
export function tooManyValues(limit: number = documentValuesMax): ApiError {
  return tooLarge(`Request entity too large: the document holds more than ${limit} values (objects, lists and scalars), which is the limit`)
}

/** The fault of a document in which one object has more than `objectFieldsMax` fields. Thrown while it is decoded, or brought into its form. */
export function tooManyFields(): ApiError {
  return tooLarge(`Request entity too large: an object in the document has more than ${objectFieldsMax} fields, which is the limit`)
}

/** Counts the values of one document. One for each document, shared by all decoders that read parts of it. */
export class ValueCount {
  constructor(
    readonly limit: number = documentValuesMax,
    /** Values so far. */
    public used: number = 0,
  ) {}

  /** Throws ApiError 413 when there are too many. */
  add(count: number): void {
    this.used += count
    if (this.used > this.limit) throw tooManyValues(this.limit)
  }
}
