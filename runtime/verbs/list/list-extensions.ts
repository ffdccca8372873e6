/**
 * Extensions of lists and watches beyond the reference (docs/LISTS.md): `sortBy`, `count`, and field selectors over any
 * scalar field with `fieldSelectorSyntax=extended`. Requests without these parameters do not call this module.
 */
import { badRequest } from "../../base/errors.ts"
import { fieldKey } from "../../query/field-key.ts"
import { parseFieldQuery } from "../../query/field-query.ts"
import { type FieldReference, referencedValue } from "../../query/field-reference.ts"
import type { JsonObject } from "../../base/json.ts"
import { compareSortKeys, parseSortQuery } from "../../query/sort-query.ts"
import { cut } from "../../base/quote.ts"
import { fieldKeyWork, readWork } from "../../base/work.ts"
import { textParameter } from "../../http/request/query.ts"
import type { KindHandle } from "../../registry/registry.ts"
import type { ListOrder } from "../../registry/sorted-page.ts"
import type { CachedObject } from "../../storage/cache.ts"
import { objectOf } from "../represent.ts"
import type { ObjectFilter } from "../../registry/object-filter.ts"

/** The parameter that enables extended field selectors. */
export const syntaxParameter = "fieldSelectorSyntax"

/** Whether field selectors use the extended syntax. Throws 400 for an unknown syntax. */
export function wantsExtendedSyntax(query: URLSearchParams): boolean {
  const syntax = textParameter(query, syntaxParameter)
  if (syntax === "" || syntax === "plain") return false
  if (syntax === "extended") return true
  throw badRequest(
    `query parameter ${syntaxParameter}: ${JSON.stringify(cut(syntax))} is not known: use extended, or plain, or leave it out`,
  )
}

/**
 * A filter for a selector over any scalar field. Throws 400. `name`: set if the selector requires one `metadata.name`.
 * `requirements`: their number.
 */
export function extendedFieldFilter(handle: KindHandle, text: string): { filter?: ObjectFilter; name?: string; requirements: number } {
  const selectable = new Set(["metadata.name", "metadata.namespace", ...handle.kind.selectable.map((field) => field.name)])
  const query = parseFieldQuery({ parameter: "fieldSelector", text, shape: handle.parts.shape, selectable })
  const { requirements } = query
  if (query.empty) return { requirements }
  const fields = new ObjectFields(handle)
  const name = query.required("metadata.name")
  const filter: ObjectFilter = (object) =>
    query.matches({ text: (field) => object.field(field), key: (field) => fields.key(object, field) })
  return { filter, requirements, ...(name !== undefined && { name }) }
}

/** The order that `sortBy` requests. Throws 400. */
export function listOrder(handle: KindHandle, text: string): ListOrder {
  const sortFields = parseSortQuery({ parameter: "sortBy", text, shape: handle.parts.shape })
  const fields = new ObjectFields(handle)
  return {
    keys: (object) => sortFields.map(({ field }) => fields.key(object, field)),
    work: (object) => readWork(object) + sortFields.length * fieldKeyWork,
    compare: (left, right) => compareSortKeys(sortFields, left, right),
  }
}

/** Keys of fields for filters and sorting. An object is decoded once; each key is cached with the object version. */
class ObjectFields {
  /** The last decoded object: several of its fields are read in a row. */
  private last: { readonly object: CachedObject; readonly decoded: JsonObject } | undefined

  constructor(private readonly handle: KindHandle) {}

  key(object: CachedObject, field: FieldReference): Buffer {
    return object.derived(`field:${this.handle.apiVersion}:${field.path}`, () =>
      fieldKey(referencedValue(this.decoded(object), field.steps), field.scalar),
    )
  }

  private decoded(object: CachedObject): JsonObject {
    if (this.last?.object !== object) this.last = { object, decoded: objectOf(this.handle, object) }
    return this.last.decoded
  }
}
