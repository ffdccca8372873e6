/**
 * The structure of a type as plain data: the names and types of its fields, their protobuf numbers, and how patches and
 * apply merge them. The generator emits one constant per type; a run-time definition builds the same records from its
 * schema. Decoding, protobuf, defaults, patches and apply all walk shapes, so a fact about a field is stated once.
 */
import type { FieldGate } from "../base/feature-gates.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"

/** The leaf types, in the order in which authors read them. */
export const scalarNames = [
  "string",
  "boolean",
  "int32",
  "int64",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
  "RawExtension",
  "FieldsV1",
  "any",
] as const

/** A leaf type. `any` keeps any JSON; `RawExtension` is an embedded object, kept as it was sent. */
export type Scalar = (typeof scalarNames)[number]

/**
 * The type of a field, a list item or a map value. `ref` is a thunk so that types may be recursive and load in any
 * order.
 */
export type TypeRef =
  | { readonly scalar: Scalar }
  /** A list inside of another list or map has its merge rules here; the list of a field has them in `FieldShape`. */
  | { readonly list: TypeRef; readonly listType?: "atomic" | "set" | "map"; readonly mapKeys?: readonly string[] }
  /** Keys are always strings. */
  | { readonly map: TypeRef; readonly mapType?: "atomic" | "granular" }
  | { readonly ref: () => TypeShape }
  /** A named list type of its own: in protobuf a message {1: repeated item}, in JSON a plain list. */
  | { readonly wrappedList: TypeRef }
  /** One value in one of several forms; `unionMember` finds the form of a value. */
  | { readonly union: () => UnionShape }

/**
 * The forms of a union. Each field is a member, which is a JSON value of its own: a schema or a boolean, a text or a
 * list of texts. No two members have the same JSON type. In protobuf the union is a message with one field per member.
 * A boolean member that is no pointer is also written, as true, beside any other.
 */
export type UnionShape = TypeShape

export interface TypeShape {
  /** Neutral, unique name: `core.v1.PodSpec`, `meta.v1.ObjectMeta`. Also the name of the protobuf message. */
  readonly name: string
  /** In the order of JSON output. */
  readonly fields: readonly FieldShape[]
  /** Keeps fields that the schema does not name. */
  readonly preserveUnknown?: boolean
  /** `atomic`: apply owns the whole value. */
  readonly struct?: "atomic" | "granular"
  /** Of the root of a kind that a definition added at run time: how its objects are decoded. Absent: by `fields`. */
  readonly structural?: StructuralShape
}

/**
 * How `normalize` makes objects of a run-time definition. Their values have no types to be decoded with: values that do
 * not fit remain for the validator, null and empty values remain, and nothing is filled in. Metadata alone is typed.
 */
export interface StructuralShape {
  /** A shape with kind, apiVersion and metadata that keeps everything else as it is. */
  readonly root: TypeShape
  /**
   * Drops the fields of `object` that the schema does not name, in place, and returns their paths if `report` is true.
   * Drops null values of fields that may not be null as well, unless `keepNulls` leaves them to the validator.
   * `stored`: of a value from the store, faults in the metadata of embedded resources are dropped; otherwise they throw
   * DecodeFault. Called with an object of the caller's own.
   */
  readonly prune: (object: JsonObject, options: PruneRequest) => readonly string[]
}

export interface PruneRequest {
  readonly report: boolean
  readonly stored: boolean
  readonly keepNulls: boolean
}

export interface FieldShape {
  /** JSON name. For an inline field: the name of the nested protobuf message; it never appears in JSON. */
  readonly name: string
  readonly type: TypeRef
  /** Protobuf field number; absent: the field is not in the protobuf encoding. */
  readonly number?: number
  readonly protoName?: string
  /**
   * The fields of the referenced type appear in the parent's JSON; in protobuf it is a nested message with this
   * `number`.
   */
  readonly inline?: boolean
  /** Absent and zero differ: a present zero value is kept. */
  readonly pointer?: boolean
  /** Null is a value of its own, kept as it was sent; only with `pointer` and without `number`. */
  readonly nullable?: boolean
  /** Written even when empty: an absent field is written as its zero value ("", 0, false, null for lists and maps). */
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
  /**
   * The text that the field has in every object within another one: `kind` and `apiVersion` of a kind that is the type
   * of a field. Without `number`: decoding writes it.
   */
  readonly constant?: string
  /** Writes drop the field while this gate is off, unless the stored object has a field of the gate. */
  readonly gate?: FieldGate
  /** Value that such a write sets in place of dropping the field; a stored field with this value does not count. */
  readonly gatedValue?: JsonValue
  /** Writes of this sub-resource set the field whatever the gate says. The field itself is no use of the gate. */
  readonly gateExempts?: "status"
  /** The default in the published schema; the generated defaults apply it. */
  readonly default?: JsonValue
  /** Checks and defaults of the value read nothing else of the object: objects may share it (`encoding/settled.ts`). */
  readonly selfContained?: boolean
}
