/**
 * Definitions of types for either document version. Only version 3 has defaults, and descriptions beside references.
 */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"
import type { FieldModel, KindModel, TypeModel, TypeRefModel } from "../../../model/model.ts"
import { type EmitContext, listItem } from "../context.ts"
import { fieldDoc, mayBeRequired, withNullable } from "../../../model/published-field.ts"
import { definitionName, patchDefinition, scalarDefinitions, versionDefinition } from "./names.ts"
import type { GroupVersionKind } from "./path-facts.ts"

export type DocumentVersion = "v2" | "v3"

/** Extensions have neutral names; the runtime maps the prefix. */
export const extension = "x-orch-"

/** Definitions by name, including those that they refer to. Called for each definition that a path names. */
export class Definitions {
  readonly found = new Map<string, JsonObject>()
  private readonly types = new Map<string, TypeModel>()
  private readonly lists = new Map<string, KindModel>()

  constructor(
    private readonly context: EmitContext,
    private readonly version: DocumentVersion,
    private readonly kinds: readonly KindModel[],
  ) {
    for (const type of context.model.types.values()) this.types.set(definitionName(type, type.localName), type)
    for (const kind of context.model.kinds) this.lists.set(definitionName(kind, kind.listKind), kind)
  }

  /** Adds the definition if it is missing and returns a reference to it. */
  reference(name: string): JsonObject {
    if (!this.found.has(name)) {
      this.found.set(name, {})
      this.found.set(name, this.definition(name))
    }
    return { $ref: `${this.version === "v2" ? "#/definitions/" : "#/components/schemas/"}${name}` }
  }

  /** Sorted by name. */
  sorted(): JsonObject {
    return Object.fromEntries([...this.found].toSorted(([left], [right]) => (left < right ? -1 : 1)))
  }

  private definition(name: string): JsonObject {
    const fixed = fixedDefinitions[this.version][name] ?? fixedDefinitions.both[name]
    if (fixed !== undefined) return fixed
    const type = this.types.get(name)
    if (type !== undefined) return this.typeSchema(type)
    const list = this.lists.get(name)
    if (list !== undefined) return this.listSchema(list)
    return { description: `An object of type ${name.slice(name.lastIndexOf(".") + 1)}.`, type: "object" }
  }

  private typeSchema(type: TypeModel): JsonObject {
    const fields = this.flattened(type)
    const required = fields.filter((field) => field.required !== false && mayBeRequired(field, this.version)).map((field) => field.name)
    const properties = fields
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((field) => [field.name, withNullable(field, this.property(field), this.version)] as const)
    const kinds = this.kindsOf(type)
    return {
      description: type.doc,
      type: "object",
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(kinds.length > 0 && { [`${extension}group-version-kind`]: kinds }),
      ...(type.structType === "atomic" && { [`${extension}map-type`]: "atomic" }),
      ...(type.preserveUnknown && { [`${extension}preserve-unknown-fields`]: true }),
    }
  }

  private flattened(type: TypeModel): readonly FieldModel[] {
    return type.fields.flatMap((field) => {
      const inner = field.inline && "ref" in field.type ? this.context.model.types.get(field.type.ref) : undefined
      return inner === undefined ? [field] : this.flattened(inner)
    })
  }

  /** The kinds of a definition; options and watch events belong to every group. */
  private kindsOf(type: TypeModel): JsonObject[] {
    const kind = this.context.model.kinds.find((one) => one.type === type.name)
    if (kind !== undefined) return [gvkObject(kind)]
    if (!type.fields.some((field) => field.name === "kind") && type.name !== "meta.v1.WatchEvent") return []
    if (type.group !== "meta") return [gvkObject({ ...type, kind: type.localName })]
    const shared = type.localName === "DeleteOptions" || type.localName === "WatchEvent"
    const groups = shared ? this.kinds.map(({ group, version }) => ({ group, version })) : []
    const unique = new Map([{ group: "", version: "v1" }, ...groups].map((one) => [`${one.group}/${one.version}`, one]))
    return [...unique.values()].map((one) => gvkObject({ ...one, kind: type.localName }))
  }

  private listSchema(kind: KindModel): JsonObject {
    const item = definitionName(kind, kind.kind)
    const items = this.version === "v3" ? { default: {}, allOf: [this.reference(item)] } : this.reference(item)
    return {
      description: `A list of objects of kind ${kind.kind}.`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { description: "Group and version in which the list is written.", type: "string" },
        items: { description: "The objects.", type: "array", items },
        kind: { description: `Kind of the list, always ${kind.listKind}.`, type: "string" },
        metadata: this.described(
          this.reference(definitionName({ group: "meta", version: "v1" }, "ListMeta")),
          "What the list carries beside its items.",
          {},
        ),
      },
      [`${extension}group-version-kind`]: [gvkObject({ ...kind, kind: kind.listKind })],
    }
  }

  private property(field: FieldModel): JsonObject {
    const schema = this.valueSchema(field.type, field.items?.enum ?? field.values?.enum)
    const isReference = "$ref" in schema
    const extensions = fieldExtensions(field)
    if (isReference) return { ...this.described(schema, fieldDoc(field), this.defaultOf(field)), ...extensions }
    const value = this.defaultOf(field)
    const words = "scalar" in field.type ? field.enum : undefined
    return {
      description: fieldDoc(field),
      ...schema,
      ...(value !== undefined && this.version === "v3" && { default: value }),
      ...(words !== undefined && { enum: words.toSorted() }),
      ...(field.deprecated && this.version === "v3" && { deprecated: true }),
      ...extensions,
    }
  }

  /** Version 3 does not allow siblings of a reference, version 2 does. */
  private described(reference: JsonObject, description: string, value: JsonValue | undefined): JsonObject {
    if (this.version === "v2") return { description, ...reference }
    return { description, ...(value !== undefined && { default: value }), allOf: [reference] }
  }

  /** The schema's default, or the zero value of a field that is always written. */
  private defaultOf(field: FieldModel): JsonValue | undefined {
    if (field.default !== undefined) return field.default
    if (field.pointer) return undefined
    if ("ref" in field.type) return {}
    return "scalar" in field.type && (field.keepEmpty || field.required !== false) ? zeroAmong(field.type.scalar, field.enum) : undefined
  }

  private valueSchema(type: TypeRefModel, words?: readonly JsonValue[]): JsonObject {
    const item = listItem(type)
    if (item !== undefined) return { type: "array", items: this.innerSchema(item, words) }
    if ("map" in type) return { type: "object", additionalProperties: this.innerSchema(type.map, words) }
    if ("ref" in type) {
      const target = this.context.model.types.get(type.ref)
      return target === undefined ? { type: "object" } : this.reference(definitionName(target, target.localName))
    }
    if (!("scalar" in type)) return { type: "object" }
    const definition = scalarDefinitions[type.scalar]
    return definition === undefined ? { ...plainSchemas[type.scalar] } : this.reference(definition)
  }

  private innerSchema(type: TypeRefModel, words: readonly JsonValue[] | undefined): JsonObject {
    const schema = this.valueSchema(type)
    if ("ref" in type) return this.version === "v3" ? { default: {}, allOf: [schema] } : schema
    if (!("scalar" in type) || "$ref" in schema) return schema
    const zero = zeroAmong(type.scalar, words)
    return {
      ...schema,
      ...(zero !== undefined && this.version === "v3" && { default: zero }),
      ...(words !== undefined && { enum: words.toSorted() }),
    }
  }
}

function gvkObject({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version }
}

function fieldExtensions(field: FieldModel): JsonObject {
  const { listType, mapKeys, mapType, structType, patch, mergeKey } = field
  const facts: { readonly [name: string]: JsonValue | undefined } = {
    "list-map-keys": mapKeys === undefined ? undefined : [...mapKeys],
    "list-type": listType,
    "map-type": mapType ?? structType,
    "patch-merge-key": mergeKey,
    "patch-strategy": patch?.join(","),
  }
  return Object.fromEntries(Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[extension + name, value]])))
}

/** The zero value, unless the enum lacks it: client generators emit code for a default, which would not compile. */
function zeroAmong(scalar: string, words: readonly JsonValue[] | undefined): JsonValue | undefined {
  const zero = zeroes[scalar]
  return zero === undefined || words === undefined || words.includes(zero) ? zero : undefined
}

const zeroes: Readonly<Record<string, JsonValue>> = { string: "", boolean: false, int32: 0, int64: 0, double: 0 }

const plainSchemas: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  any: { [`${extension}preserve-unknown-fields`]: true },
}

const quantityText = "An amount such as 500m, 1.5 or 2Gi: a number with an optional suffix, written back in canonical form."
const intOrStringText = "A whole number or a text, such as a port by number or by name, or a count or a percentage."

const fixedDefinitions: Readonly<Record<DocumentVersion | "both", Readonly<Record<string, JsonObject>>>> = {
  both: {
    [scalarDefinitions.Time ?? ""]: { description: "A moment in RFC 3339 form, in whole seconds.", type: "string", format: "date-time" },
    [scalarDefinitions.MicroTime ?? ""]: {
      description: "A moment in RFC 3339 form, in microseconds.",
      type: "string",
      format: "date-time",
    },
    [scalarDefinitions.Duration ?? ""]: { description: "A length of time such as 1h30m or 500ms.", type: "string" },
    [scalarDefinitions.FieldsV1 ?? ""]: {
      description: "A set of fields: keys f:<name>, k:<keys>, v:<value>, i:<index> and a dot for the field itself.",
      type: "object",
    },
    [scalarDefinitions.RawExtension ?? ""]: {
      description: "An object of any kind, kept as it came.",
      type: "object",
      [`${extension}preserve-unknown-fields`]: true,
    },
    [patchDefinition]: {
      description: "A patch in the form that its media type names: a list of operations, or a partial object.",
      type: "object",
    },
    [versionDefinition]: versionInfo(),
  },
  v2: {
    [scalarDefinitions.Quantity ?? ""]: { description: quantityText, type: "string" },
    [scalarDefinitions.IntOrString ?? ""]: { description: intOrStringText, type: "string", format: "int-or-string" },
  },
  v3: {
    [scalarDefinitions.Quantity ?? ""]: { description: quantityText, oneOf: [{ type: "string" }, { type: "number" }] },
    [scalarDefinitions.IntOrString ?? ""]: {
      description: intOrStringText,
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
      [`${extension}int-or-string`]: true,
    },
  },
}

function versionInfo(): JsonObject {
  const names = ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"]
  return {
    description: "What the server was built from.",
    type: "object",
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  }
}
