/** The `sortBy` parameter: the fields by which a list is sorted (docs/LISTS.md). */
import { badRequest } from "../base/errors.ts"
import { sortFieldsMax } from "../base/limits.ts"
import { type FieldReference, readFieldSteps, resolveField } from "./field-reference.ts"
import { cut } from "../base/quote.ts"
import type { TypeShape } from "../schema/shape.ts"

export interface SortField {
  readonly field: FieldReference
  readonly descending: boolean
}

/**
 * Parses `-.metadata.creationTimestamp,{.metadata.name}` once per request: `-` sorts the largest first. Throws ApiError
 * 400.
 */
export function parseSortQuery(options: { parameter: string; text: string; shape: TypeShape }): readonly SortField[] {
  const { parameter, text, shape } = options
  const fields: SortField[] = []
  for (let at = 0; ; ) {
    const descending = text[at] === "-"
    const { steps, end } = readFieldSteps({ parameter, text, at: descending ? at + 1 : at, stops: "," })
    fields.push({ field: resolveField({ parameter, shape, steps }), descending })
    if (fields.length > sortFieldsMax) throw badRequest(`query parameter ${parameter}: at most ${sortFieldsMax} fields, found more`)
    if (end === text.length) return fields
    if (text[end] !== ",")
      throw badRequest(`query parameter ${parameter}: ${JSON.stringify(cut(text))}: expected a comma (at character ${end + 1})`)
    at = end + 1
  }
}

/** Compares two objects by their keys, one key per field; an absent value sorts last in either direction. */
export function compareSortKeys(fields: readonly SortField[], left: readonly Buffer[], right: readonly Buffer[]): number {
  for (let index = 0; index < fields.length; index++) {
    const one = left[index]
    const other = right[index]
    if (one === undefined || other === undefined) continue
    if (one.length === 0 || other.length === 0) {
      if (one.length !== other.length) return one.length === 0 ? 1 : -1
      continue
    }
    const compared = Buffer.compare(one, other)
    if (compared !== 0) return fields[index]?.descending === true ? -compared : compared
  }
  return 0
}
