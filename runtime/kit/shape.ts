/**
 * The structure of a type as plain data: what its fields are called, what they hold, how they are encoded compactly
 * and how patches and apply merge them. Emitted by the generator, one constant per type; a run-time definition builds
 * the same records from its schema. Decoding, the compact encoding, defaults, patches and apply all walk shapes, so a
 * fact about a field is stated once.
 */
import type { JsonValue } from "./json.ts"

/** Leaf types. `any` keeps whatever JSON is there; `RawExtension` is an embedded object kept as it came. */
export type Scalar =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "bytes"
  | "Time"
  | "MicroTime"
  | "Duration"
  | "Quantity"
  | "IntOrString"
  | "RawExtension"
  | "FieldsV1"
  | "any"

/** What a field, a list item or a map value holds. `ref` is a thunk so that types may be recursive and load in any order. */
export type TypeRef =
  | { readonly scalar: Scalar }
  | { readonly list: TypeRef }
  /** Keys are always strings. */
  | { readonly map: TypeRef }
  | { readonly ref: () => TypeShape }
  /** A named list type of its own: in the compact encoding a message {1: repeated item}. In JSON a plain list. */
  | { readonly wrappedList: TypeRef }

export interface TypeShape {
  /** Neutral, unique name: `core.v1.PodSpec`, `meta.v1.ObjectMeta`. Also the message name in the compact descriptor. */
  readonly name: string
  /** In the order in which JSON is written. */
  readonly fields: readonly FieldShape[]
  /** Fields the schema does not name are kept as they came. */
  readonly preserveUnknown?: boolean
  /** `atomic`: apply owns the whole value. */
  readonly struct?: "atomic" | "granular"
}

export interface FieldShape {
  /** JSON name. For an inline field: the name of the nested compact message; it never appears in JSON. */
  readonly name: string
  readonly type: TypeRef
  /** Compact field number; absent: the field has no compact form. */
  readonly number?: number
  readonly protoName?: string
  /** The fields of the referenced type appear in the parent's JSON; compactly it is a nested message of `number`. */
  readonly inline?: boolean
  /** Absent and zero differ: a present zero value is kept. */
  readonly pointer?: boolean
  /** Written even when empty: the zero value ("", 0, false, null for lists and maps) stands in when absent. */
  readonly keepEmpty?: boolean
  /** Listed under `required` in the published schema. */
  readonly required?: boolean
  readonly listType?: "atomic" | "set" | "map"
  readonly mapKeys?: readonly string[]
  readonly mapType?: "atomic" | "granular"
  readonly structType?: "atomic" | "granular"
  /** Strategic merge patch. */
  readonly patch?: readonly ("merge" | "replace" | "retainKeys")[]
  readonly mergeKey?: string
  /** The default that the schema publishes; applied by the generated defaults. */
  readonly default?: JsonValue
}
