/** How the items of a list merge, and so which of its parts managers own. */
import type { FieldShape } from "./shape.ts"

/** Declares how a list merges: its field, or the list itself inside of another list or map. */
export type ListMerge = Pick<FieldShape, "listType" | "mapKeys" | "patch" | "mergeKey">

export interface ListKind {
  readonly type: "atomic" | "set" | "map"
  /** Names of the fields that identify an item; empty unless `type` is `map`. */
  readonly keys: readonly string[]
}

/**
 * Called once for each list of a shape. A list without a declared type merges in apply as in strategic merge patch;
 * without a merge key it is atomic.
 */
export function listKindOf(field: ListMerge | undefined): ListKind {
  if (field?.listType === "map") return { type: "map", keys: [...(field.mapKeys ?? [])].sort() }
  if (field?.listType !== undefined) return { type: field.listType, keys: [] }
  if (field?.patch?.includes("merge") !== true) return { type: "atomic", keys: [] }
  return field.mergeKey === undefined ? { type: "set", keys: [] } : { type: "map", keys: [field.mergeKey] }
}
