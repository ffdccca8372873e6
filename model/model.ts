/**
 * The input of every emitter: plain data, fully resolved and checked. No YAML, no ts-morph, no file system. All names
 * are neutral (`orch.io`). Types are referenced by their unique name (`core.v1.PodSpec`).
 */
import type { FeatureGate, FieldGate } from "../runtime/base/feature-gates.ts"
import type { JsonObject, JsonValue } from "../runtime/base/json.ts"
import type { Limits } from "../runtime/schema/constraints.ts"
import type { ReferenceTarget } from "../runtime/schema/references.ts"
import type { NameRule, Subresource, Verb } from "../runtime/schema/kind.ts"
import type { GroupForms } from "../runtime/schema/groups.ts"
import type { Scalar } from "../runtime/schema/shape.ts"

export interface Model {
  /** Sorted by group, version, kind. */
  readonly kinds: readonly KindModel[]
  /** Every named type by its unique name. */
  readonly types: ReadonlyMap<string, TypeModel>
  readonly files: readonly FileModel[]
  /** Sorted by path; empty for a folder of a user. */
  readonly bootstrap: readonly BootstrapFile[]
}

/** A file of manifests: objects that every cluster has from its first start. */
export interface BootstrapFile {
  /** Relative to the schema folder, without `.yaml`: `bootstrap/cluster-roles`. */
  readonly path: string
  /** In the order of the file. */
  readonly objects: readonly BootstrapObject[]
}

export interface BootstrapObject {
  readonly kind: KindModel
  /** Without kind and version; names are neutral. */
  readonly value: JsonObject
}

/** A schema file; `generated/` mirrors it. */
export interface FileModel {
  /**
   * Relative to the schema folder, without `.yaml`: `core/v1/pod`, `core/v1/shared/pod-spec`, `meta/v1/object-meta`.
   */
  readonly path: string
  readonly group: string
  readonly version: string
  /** Unique names of its types, in file order; the kind's own type first. */
  readonly types: readonly string[]
  readonly kind?: string
}

export interface KindModel {
  readonly file: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly doc: string
  readonly listKind: string
  readonly resource: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** Clients cannot use this version; objects stored in it are still read. */
  readonly served?: false
  /** Every answer of this version carries a warning; a text of the author's, or one that names the version to use. */
  readonly optional?: { readonly gate?: FeatureGate }
  readonly deprecated?: { readonly warning?: string }
  readonly verbs: readonly Verb[]
  readonly nameRule: NameRule
  readonly type: string
  readonly storage: {
    readonly path: string
    readonly group: string
    readonly version: string
    readonly kind: string
    readonly ttlOption?: string
    readonly hashedVersion?: string
    readonly uncached?: boolean
  }
  readonly selectable: readonly { readonly name: string; readonly value: ExpressionModel }[]
  /** The message for other fields, with `{field}` for their name. */
  readonly notSelectable?: string
  readonly columns: readonly ColumnModel[]
  /** The path of the number by which the rows of a Table are sorted. Absent: they follow the list. */
  readonly rowOrder?: string
  /** Conditions under which a Table row shows its object as completed. */
  readonly completed: readonly {
    readonly when: ExpressionModel
    readonly reason: string
    readonly textParts: readonly TemplatePart[]
  }[]
  readonly subresources: readonly Subresource[]
  /** The kind is not stored. A POST becomes a POST to this sub-resource of the object that the body names. */
  readonly postsTo?: { readonly resource: string; readonly subresource: string }
  /** The kind is not stored. A POST is answered by this behaviour. */
  readonly answeredBy?: string
  readonly create: { readonly drops: readonly string[] }
  readonly update: {
    readonly keeps: readonly string[]
    readonly createOnUpdate: boolean
    readonly unconditional: boolean
    readonly generation?: readonly string[]
    /** The generation of a new object; 0 is none. */
    readonly firstGeneration?: number
    /** Validated as a change and again as a new object: faults are reported twice. */
    readonly validatesTwice: boolean
    readonly checksName: boolean
  }
  /** Valid names of finalizers: any qualified name, or only names with a domain and the standard ones. */
  readonly finalizers: "any" | "qualified"
  readonly delete: {
    readonly propagation: "background" | "orphan" | "foreground" | "unsupported"
    /** A warning for deletions that do not choose a propagation policy. */
    readonly reminder?: string
    readonly returns: "Status" | "object"
  }
  readonly behaviours: readonly string[]
  /** Field renames between this version and the stored one, or a named conversion. */
  readonly conversion?: { readonly rename: readonly { readonly here: string; readonly stored: string }[]; readonly behaviour?: string }
  readonly warnings: readonly {
    readonly when: ExpressionModel
    readonly text: string
    readonly textParts: readonly TemplatePart[]
    readonly at: string
  }[]
  /** Named functions of `runtime/behaviours/warnings/` and the paths they inspect. */
  readonly warningChecks: readonly { readonly name: string; readonly at: string }[]
}

export interface ColumnModel {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "date"
  readonly format: string
  readonly doc: string
  readonly priority: number
  readonly value: ExpressionModel
}

export interface TypeModel {
  /** Unique: `core.v1.PodSpec`. */
  readonly name: string
  /** `PodSpec` */
  readonly localName: string
  readonly group: string
  readonly version: string
  readonly file: string
  readonly doc: string
  readonly fields: readonly FieldModel[]
  /** Protobuf numbers of removed fields: no field may have one. */
  readonly reserved?: readonly number[]
  readonly preserveUnknown: boolean
  /** A value has the form of one of the fields, without its name. */
  readonly union?: true
  readonly structType?: "atomic" | "granular"
  readonly rules: readonly RuleModel[]
  readonly defaults: readonly DefaultRuleModel[]
  /** Named validators in `runtime/behaviours/`, for checks that rules cannot express. */
  readonly checks: readonly string[]
  /** Discriminated unions: exactly one, or at most one, of these fields is set. */
  readonly oneOf: readonly GroupModel[]
}

export interface GroupModel {
  readonly fields: readonly string[]
  readonly required: boolean
  readonly failures?: GroupForms
}

export type TypeRefModel =
  | { readonly scalar: Scalar }
  | { readonly list: TypeRefModel }
  | { readonly map: TypeRefModel }
  | { readonly ref: string }
  | { readonly wrappedList: TypeRefModel }
  /** The unique name of a type with `union`. */
  | { readonly union: string }

export interface FieldModel extends Limits {
  readonly name: string
  readonly type: TypeRefModel
  readonly doc: string
  readonly number?: number
  readonly protoName?: string
  readonly inline: boolean
  readonly pointer: boolean
  /** Null is a value of its own. The field is a pointer and has no number, since the compact encoding has no null. */
  readonly nullable?: true
  readonly keepEmpty: boolean
  /** The value is not validated by its own type. */
  readonly unchecked?: true
  /** While this is true of the struct around the field, the value is not validated by its own type. */
  readonly uncheckedWhen?: ExpressionModel
  /** A write that leaves the value as it was written last neither sets its defaults nor checks it again. */
  readonly selfContained?: true
  /** While this gate is off, the field is dropped from objects that clients write. */
  readonly gate?: FieldGate
  /** The value that the field gets instead of being dropped. */
  readonly gatedValue?: JsonValue
  /** Writes of this sub-resource set the field regardless of the gate. */
  readonly gateExempts?: "status"
  readonly deprecated: boolean
  /** The field's text in objects that are embedded in others. */
  readonly constant?: string
  /** `published`: only in the published schema; `true`: an absent field is also a FieldValueRequired. */
  readonly required: false | "published" | true
  /** Absent, "", [] and {} are FieldValueRequired. */
  readonly nonEmpty: boolean
  readonly requiredOn?: "create" | "update"
  readonly default?: JsonValue
  /** Items must be unique: as a whole (`[]`) or by these fields. Each inner list is one rule. */
  readonly unique: readonly (readonly string[])[]
  readonly immutable: boolean | "once-set"
  /** The path that failures name for the field and all below it. */
  readonly reportedAt?: string
  /** The text, or each item of a list of texts, names an object that must exist when it is written. */
  readonly references?: ReferenceTarget
  /** A set (`[]`) or map list (its keys) that enforces its listType: equal items are refused. */
  readonly distinct?: readonly string[]
  readonly listType?: "atomic" | "set" | "map"
  readonly mapKeys?: readonly string[]
  readonly mapType?: "atomic" | "granular"
  readonly structType?: "atomic" | "granular"
  readonly patch?: readonly ("merge" | "replace" | "retainKeys")[]
  readonly mergeKey?: string
}

/** Limits of a value, its items, keys and values: the words of runtime/schema/constraints.ts. */
export type Constraints = Limits

/** Holds when `rule` is true. `self` is the value of the type; `oldSelf` (only with on: update) is the stored value. */
export interface RuleModel {
  readonly rule: ExpressionModel
  readonly when?: ExpressionModel
  /** Dotted path below the type that the failure names; "" is the value itself. */
  readonly at: string
  readonly reason: "Required" | "Invalid" | "NotSupported" | "TooLong" | "TooMany" | "Duplicate" | "Forbidden" | "NotFound"
  /** Checked before this field of the type. */
  readonly before?: string
  /** Shown in place of the value at the path. */
  readonly value?: ExpressionModel
  /** The message does not mention the value. */
  readonly omitValue?: true
  /** The values that a failure of reason NotSupported lists. */
  readonly supported?: readonly string[]
  readonly message: string
  /** The message split at its `{{expression}}`s. */
  readonly messageParts: readonly TemplatePart[]
  readonly on: "any" | "create" | "update"
}

/** Sets `set` to `to` when it is absent (or empty and not a pointer) and `when` holds. */
export interface DefaultRuleModel {
  readonly set: string
  /** A list is a constant, in canonical form. */
  readonly to: ExpressionModel | readonly JsonValue[]
  readonly when?: ExpressionModel
  /** Also replaces an existing value. */
  readonly force: boolean
}

/** A part of a message: literal text, or an expression. */
export type TemplatePart = string | ExpressionModel

/** An expression of the dialect: its text, its position, and its parsed form. */
export interface ExpressionModel {
  readonly text: string
  readonly tree: ExpressionTree
}

/** Facts of the checker about the field that a part of an expression names. Other parts have none. */
export interface FieldReading {
  /** Absent and zero are different values. */
  readonly pointer: boolean
  /** The value that the field reads as where it is absent and its parents exist. */
  readonly zero?: "" | false | 0
}

export type ExpressionTree =
  /** `double`: written with a fraction or an exponent, as 1.0 is. */
  | { readonly node: "literal"; readonly value: JsonValue; readonly double?: true }
  | { readonly node: "name"; readonly name: string; readonly reads?: FieldReading }
  | { readonly node: "select"; readonly of: ExpressionTree; readonly field: string; readonly reads?: FieldReading }
  | { readonly node: "index"; readonly of: ExpressionTree; readonly index: ExpressionTree; readonly reads?: FieldReading }
  | { readonly node: "call"; readonly function: string; readonly target?: ExpressionTree; readonly arguments: readonly ExpressionTree[] }
  | { readonly node: "unary"; readonly operator: "!" | "-"; readonly of: ExpressionTree }
  /** `double`: a division that keeps its fraction. */
  | {
      readonly node: "binary"
      readonly operator: string
      readonly left: ExpressionTree
      readonly right: ExpressionTree
      readonly double?: true
    }
  /** Put in by the checker where a field's text is used as the value that it stands for. */
  | { readonly node: "convert"; readonly to: ExpressionConversion; readonly list: boolean; readonly of: ExpressionTree }
  | { readonly node: "conditional"; readonly test: ExpressionTree; readonly then: ExpressionTree; readonly otherwise: ExpressionTree }
  | { readonly node: "list"; readonly items: readonly ExpressionTree[] }
  | {
      readonly node: "macro"
      readonly macro: "all" | "exists" | "existsOne" | "filter" | "map"
      readonly of: ExpressionTree
      readonly variable: string
      readonly body: ExpressionTree
    }

/**
 * From the text of a Quantity, Duration, Time or MicroTime field to a value that compares and adds, and with `time` and
 * `microTime` back to the text that such a field holds.
 */
export type ExpressionConversion = "quantity" | "duration" | "timestamp" | "time" | "microTime"
