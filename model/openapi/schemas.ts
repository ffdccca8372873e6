/**
 * Definitions of types for either document version. Only version 3 has defaults, and descriptions beside references.
 */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import type { FieldModel, KindModel, TypeModel, TypeRefModel } from "../model.ts"
import { fieldsByType, remainingText } from "./descriptions.ts"
import { extension, fieldExtensions } from "./extensions.ts"
import { type DocumentVersion, fixedDefinitions, plainSchemas } from "./fixed-definitions.ts"
import { isRequired, isWithin, limitSchema, ownLimits, partLimits, type ValueLimits } from "./limits.ts"
import { definitionName, scalarDefinitions } from "./names.ts"
import type { GroupVersionKind } from "./path-facts.ts"
import type { OpenApiSource } from "./source.ts"

/** Definitions by name, including those that they refer to. Called for each definition that a path names. */
export class Definitions {
  readonly found = new Map<string, JsonObject>()
  private readonly types = new Map<string, TypeModel>()
  private readonly lists = new Map<string, KindModel>()
  private readonly referrers: ReadonlyMap<string, readonly FieldModel[]>

  constructor(
    private readonly source: OpenApiSource,
    private readonly version: DocumentVersion,
  ) {
    for (const type of source.types.values()) this.types.set(definitionName(type, type.localName), type)
    for (const kind of source.known) this.lists.set(definitionName(kind, kind.listKind), kind)
    this.referrers = fieldsByType(source.types)
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
    const limited = this.source.publishesLimits(type)
    const fields = this.flattened(type)
    const required = fields
      .filter((field) => isRequired(field, limited) || (limited && this.isFilledInVain(field)))
      .map((field) => field.name)
    const properties = fields
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((field) => [field.name, this.property(field, limited)] as const)
    const kinds = this.kindsOf(type)
    const description = remainingText(type.doc, this.referrers.get(type.name) ?? [])
    return {
      ...(description !== "" && { description }),
      type: "object",
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(kinds.length > 0 && { [`${extension}group-version-kind`]: kinds }),
      ...(type.structType === "atomic" && { [`${extension}map-type`]: "atomic" }),
      ...(type.preserveUnknown && { [`${extension}preserve-unknown-fields`]: true }),
    }
  }

  /** Whether the empty object that the server writes for an absent field is refused, as it lacks fields itself. */
  private isFilledInVain(field: FieldModel): boolean {
    return !field.pointer && field.default === undefined && "ref" in field.type && this.refusesEmpty(field.type.ref, new Set())
  }

  private refusesEmpty(name: string, seen: Set<string>): boolean {
    const type = this.source.types.get(name)
    if (type === undefined || seen.has(name)) return false
    seen.add(name)
    return type.fields.some((field) => {
      if (field.default !== undefined) return false
      if (field.required === true || field.nonEmpty) return true
      return !field.pointer && "ref" in field.type && this.refusesEmpty(field.type.ref, seen)
    })
  }

  private flattened(type: TypeModel): readonly FieldModel[] {
    return type.fields.flatMap((field) => {
      const inner = field.inline && "ref" in field.type ? this.source.types.get(field.type.ref) : undefined
      return inner === undefined ? [field] : this.flattened(inner)
    })
  }

  /** The kinds of a definition; options and watch events belong to every group. */
  private kindsOf(type: TypeModel): JsonObject[] {
    const kind = this.source.known.find((one) => one.type === type.name)
    if (kind !== undefined) return [gvkObject(kind)]
    if (!type.fields.some((field) => field.name === "kind") && type.name !== "meta.v1.WatchEvent") return []
    if (type.group !== "meta") return [gvkObject({ ...type, kind: type.localName })]
    const shared = type.localName === "DeleteOptions" || type.localName === "WatchEvent"
    const groups = shared ? this.source.kinds.map(({ group, version }) => ({ group, version })) : []
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

  private property(field: FieldModel, limited: boolean): JsonObject {
    const schema = this.valueSchema(field.type, partLimits(field, limited))
    const extensions = fieldExtensions(field, limited)
    if ("$ref" in schema) return { ...this.described(schema, field.doc, this.defaultOf(field, schema, limited)), ...extensions }
    const full = { ...schema, ...ownLimits(field, limited) }
    const value = this.defaultOf(field, full, limited)
    return {
      description: field.doc,
      ...full,
      ...(value !== undefined && this.version === "v3" && { default: value }),
      ...(field.deprecated && this.version === "v3" && { deprecated: true }),
      ...extensions,
    }
  }

  /** Version 3 does not allow siblings of a reference, version 2 does. */
  private described(reference: JsonObject, description: string, value: JsonValue | undefined): JsonObject {
    if (this.version === "v2") return { description, ...reference }
    return { description, ...(value !== undefined && { default: value }), allOf: [reference] }
  }

  /** The schema's default, or the zero value that the server writes for an absent field. */
  private defaultOf(field: FieldModel, schema: JsonObject, limited: boolean): JsonValue | undefined {
    if (field.default !== undefined) return field.default
    if (field.pointer || (limited && field.required === true)) return undefined
    if ("ref" in field.type) return limited && this.isFilledInVain(field) ? undefined : {}
    return "scalar" in field.type && (field.keepEmpty || field.required !== false) ? zeroWithin(field.type.scalar, schema) : undefined
  }

  /** The schema of a value; `limits` are those of the items of a list or the values of a map, at any depth. */
  private valueSchema(type: TypeRefModel, limits: ValueLimits): JsonObject {
    const item = "list" in type ? type.list : "wrappedList" in type ? type.wrappedList : undefined
    if (item !== undefined) return { type: "array", items: this.innerSchema(item, limits) }
    if ("map" in type) return { type: "object", additionalProperties: this.innerSchema(type.map, limits) }
    if ("ref" in type) {
      const target = this.source.types.get(type.ref)
      return target === undefined ? { type: "object" } : this.reference(definitionName(target, target.localName))
    }
    if (!("scalar" in type)) return { type: "object" }
    const definition = scalarDefinitions[type.scalar]
    return definition === undefined ? { ...plainSchemas[type.scalar] } : this.reference(definition)
  }

  private innerSchema(type: TypeRefModel, limits: ValueLimits): JsonObject {
    const schema = this.valueSchema(type, limits)
    if ("ref" in type) return this.version === "v3" ? { default: {}, allOf: [schema] } : schema
    if (!("scalar" in type) || "$ref" in schema) return schema
    const full = { ...schema, ...limitSchema(limits) }
    const zero = zeroWithin(type.scalar, full)
    return { ...full, ...(zero !== undefined && this.version === "v3" && { default: zero }) }
  }
}

function gvkObject({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version }
}

/** The zero value, unless the limits exclude it: client generators emit code for a default, which would not compile. */
function zeroWithin(scalar: string, schema: JsonObject): JsonValue | undefined {
  const zero = zeroes[scalar]
  return zero === undefined || !isWithin(zero, schema) ? undefined : zero
}

const zeroes: Readonly<Record<string, JsonValue>> = { string: "", boolean: false, int32: 0, int64: 0, double: 0 }
