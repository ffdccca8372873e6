/**
 * Definitions of types for either document version. Only version 3 has defaults, and descriptions beside references.
 */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { limitSchema, type Limits } from "../../runtime/schema/constraints.ts"
import type { FieldModel, KindModel, TypeModel, TypeRefModel } from "../model.ts"
import { isNullable, Presence } from "../presence.ts"
import { fieldDoc, mayBeRequired, withNullable } from "../published-field.ts"
import { fieldsByType, remainingText } from "./descriptions.ts"
import { extension, fieldExtensions } from "./extensions.ts"
import { type DocumentVersion, fixedDefinitions, plainSchemas } from "./fixed-definitions.ts"
import { fieldSchema, publishedLimits, zeroOf, zeroWithin } from "./limits.ts"
import { anyDefinition, definitionName, scalarDefinitions } from "./names.ts"
import { versionsOf } from "./meta-kinds.ts"
import type { GroupVersionKind } from "./path-facts.ts"
import type { OpenApiSource } from "./source.ts"

/** Definitions by name, including the ones they refer to. Called for each definition that a path names. */
export class Definitions {
  readonly found = new Map<string, JsonObject>()
  private readonly types = new Map<string, TypeModel>()
  private readonly lists = new Map<string, KindModel>()
  private readonly referrers: ReadonlyMap<string, readonly FieldModel[]>
  private readonly presence: Presence
  /** Definitions of the bodies of sub-resources: they are kinds without a path of their own. */
  private readonly bodies: ReadonlySet<string>
  /** Fields that distinguish the items of map lists. */
  private readonly keys: ReadonlySet<FieldModel>

  constructor(
    private readonly source: OpenApiSource,
    private readonly version: DocumentVersion,
    private readonly docOf: (field: FieldModel) => string = fieldDoc,
  ) {
    for (const type of source.types.values()) this.types.set(definitionName(type, type.localName), type)
    for (const kind of source.known) this.lists.set(definitionName(kind, kind.listKind), kind)
    this.referrers = fieldsByType(source.types)
    this.presence = new Presence(source.types)
    this.keys = keyFields(source.types)
    const bodies = source.known.flatMap(({ subresources }) => subresources.flatMap(({ kind }) => kind ?? []))
    this.bodies = new Set(bodies.map((kind) => definitionName(kind, kind.kind)))
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
    const complete = this.source.schemas?.[name]
    if (isObject(complete)) return this.complete(complete)
    const fixed = fixedDefinitions[this.version][name] ?? fixedDefinitions.both[name]
    if (fixed !== undefined) return fixed
    const type = this.types.get(name)
    if (type !== undefined) return this.typeSchema(type)
    const list = this.lists.get(name)
    if (list !== undefined) return this.listSchema(list)
    return { description: `An object of type ${name.slice(name.lastIndexOf(".") + 1)}.`, type: "object" }
  }

  /** Adds the definitions to which a schema refers, at any depth. */
  private complete(schema: JsonObject): JsonObject {
    const pending: JsonValue[] = [schema]
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      if (typeof value !== "object" || value === null) continue
      for (const [name, one] of Object.entries(value)) {
        if (name === "$ref" && typeof one === "string") this.reference(one.slice(one.lastIndexOf("/") + 1))
        else if (one !== undefined) pending.push(one)
      }
    }
    return schema
  }

  private typeSchema(type: TypeModel): JsonObject {
    // As in kube-apiserver: a definition without a type.
    if (type.union === true) return { description: type.doc }
    const limited = this.source.publishesLimits(type)
    const fields = this.flattened(type)
    const required = fields.filter((field) => this.isRequired(field, type) && mayBeRequired(field, this.version)).map((field) => field.name)
    const properties = fields
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((field) => [field.name, withNullable(field, this.property(field, limited), this.version)] as const)
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

  /**
   * For types with published limits: whether a client has to state the field. For other types: whether the schema marks
   * it as required, as kube-apiserver publishes it.
   */
  private isRequired(field: FieldModel, type: TypeModel): boolean {
    if (!this.source.publishesLimits(type)) return field.required !== false
    const kind = this.source.known.find((one) => one.type === type.name)
    return !this.presence.mayBeLeftOut(field, kind)
  }

  private flattened(type: TypeModel): readonly FieldModel[] {
    return type.fields.flatMap((field) => {
      const inner = field.inline && "ref" in field.type ? this.source.types.get(field.type.ref) : undefined
      return inner === undefined ? [field] : this.flattened(inner)
    })
  }

  /** The kinds of a definition. A type with only a field `kind`, such as a reference to an object, is not a kind. */
  private kindsOf(type: TypeModel): JsonObject[] {
    const kind = this.source.known.find((one) => one.type === type.name)
    if (kind !== undefined) return [gvkObject(kind)]
    if (this.bodies.has(definitionName(type, type.localName))) return [gvkObject({ ...type, kind: type.localName })]
    if (type.group !== "meta") return []
    return versionsOf(type.localName, this.source).map((one) => gvkObject({ ...one, kind: type.localName }))
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
        items: { description: `List of ${kind.resource}.`, type: "array", items },
        kind: { description: `Kind of the list, always ${kind.listKind}.`, type: "string" },
        metadata: this.described(
          this.reference(definitionName({ group: "meta", version: "v1" }, "ListMeta")),
          "Version of the list, and how to read on.",
          this.version === "v3" ? { default: {} } : {},
        ),
      },
      [`${extension}group-version-kind`]: [gvkObject({ ...kind, kind: kind.listKind })],
    }
  }

  private property(field: FieldModel, limited: boolean): JsonObject {
    const { $ref, ...stated } = this.valueSchema(field.type, publishedLimits(field, limited), limited)
    const schema = limited ? fieldSchema(field, stated) : stated
    const facts = { ...schema, ...(this.version === "v3" && this.factsOfVersion3(field, limited)), ...fieldExtensions(field, limited) }
    if ($ref === undefined) return { description: this.docOf(field), ...facts }
    return this.described({ $ref }, this.docOf(field), facts)
  }

  private factsOfVersion3(field: FieldModel, limited: boolean): JsonObject {
    const value = this.defaultOf(field, limited)
    return {
      ...(value !== undefined && { default: value }),
      ...(limited && isNullable(field) && { nullable: true }),
      ...(limited && field.deprecated && { deprecated: true }),
    }
  }

  /** Version 3 does not allow siblings of a reference; clients of version 2 read the description. */
  private described(reference: JsonObject, description: string, facts: JsonObject): JsonObject {
    return this.version === "v2" ? { description, ...reference, ...facts } : { description, ...facts, allOf: [reference] }
  }

  /** The schema's default, or the zero value that the server writes for an absent field. */
  private defaultOf(field: FieldModel, limited: boolean): JsonValue | undefined {
    if (!limited) return this.referenceDefault(field)
    if (field.default !== undefined) return field.default
    if (field.pointer || field.required === true || field.nonEmpty) return undefined
    if ("ref" in field.type) return this.presence.isFilledInVain(field) ? undefined : {}
    return field.keepEmpty || field.required !== false ? zeroWithin(field.type, publishedLimits(field, true)) : undefined
  }

  /**
   * The default as kube-apiserver publishes it: the zero value of the field's Go type, even if the field does not allow
   * it. Other defaults are code there, but for keys of map lists, without which server-side apply finds no item.
   */
  private referenceDefault(field: FieldModel): JsonValue | undefined {
    if (field.default !== undefined && this.keys.has(field)) return field.default
    if (field.pointer) return field.keepEmpty ? field.default : undefined
    if ("ref" in field.type) return {}
    return field.keepEmpty || field.required !== false ? zeroOf(field.type) : undefined
  }

  /** The schema of a value, with its limits at any depth. */
  private valueSchema(type: TypeRefModel, limits: Limits, limited: boolean): JsonObject {
    const own = limitSchema(limits)
    const item = "list" in type ? type.list : "wrappedList" in type ? type.wrappedList : undefined
    if (item !== undefined) return { type: "array", items: this.innerSchema(item, limits.items ?? {}, limited), ...own }
    if ("map" in type) return { type: "object", additionalProperties: this.innerSchema(type.map, limits.values ?? {}, limited), ...own }
    if ("ref" in type || "union" in type) {
      const target = this.source.types.get("ref" in type ? type.ref : type.union)
      return target === undefined ? { type: "object" } : this.reference(definitionName(target, target.localName))
    }
    if (!("scalar" in type)) return { type: "object" }
    const definition = type.scalar === "any" && !limited ? anyDefinition : scalarDefinitions[type.scalar]
    if (definition === undefined) return { ...plainSchemas[type.scalar], ...own }
    return { ...this.reference(definition), ...(this.version === "v3" && own) }
  }

  private innerSchema(type: TypeRefModel, limits: Limits, limited: boolean): JsonObject {
    const { $ref, ...schema } = this.valueSchema(type, limits, limited)
    const zero = "ref" in type ? {} : limited ? zeroWithin(type, limits) : zeroOf(type)
    const full = { ...schema, ...(zero !== undefined && this.version === "v3" && { default: zero }) }
    if ($ref === undefined) return full
    return Object.keys(full).length === 0 ? { $ref } : { ...full, allOf: [{ $ref }] }
  }
}

/** Returns the fields that are keys of a list. Called once per document. */
function keyFields(types: OpenApiSource["types"]): ReadonlySet<FieldModel> {
  const fields = [...types.values()].flatMap((type) => type.fields)
  return new Set(
    fields.flatMap(({ type, mapKeys = [] }) => {
      const item = "list" in type && "ref" in type.list ? types.get(type.list.ref) : undefined
      return item?.fields.filter(({ name }) => mapKeys.includes(name)) ?? []
    }),
  )
}

function gvkObject({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, kind, version }
}
