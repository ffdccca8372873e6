/** Limits on the number of values in one document, whatever its encoding. */
import { type ApiError, tooLarge } from "../base/errors.ts"
import { documentValuesMax, objectFieldsMax } from "../base/limits.ts"

/** More values than any text can hold: for documents that this server has written. */
export const unboundedValues = 2 ** 30

/** The error for a document with more values than `limit`. Thrown while decoding. */
export function tooManyValues(limit: number = documentValuesMax): ApiError {
  return tooLarge(`Request entity too large: the document holds more than ${limit} values (objects, lists and scalars), which is the limit`)
}

/** The error for an object with more than `objectFieldsMax` fields. Thrown while decoding or normalizing. */
export function tooManyFields(): ApiError {
  return tooLarge(`Request entity too large: an object in the document has more than ${objectFieldsMax} fields, which is the limit`)
}

/** Counts the values of one document. All decoders that read parts of the document share one instance. */
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
