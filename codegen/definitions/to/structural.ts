/**
 * Structural schemas from the model: replaces every reference of the published schemas (model/openapi/) by the schema
 * it refers to, and reports parts that structural schemas do not allow or cannot express.
 */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import type { Limits } from "../../../runtime/schema/constraints.ts"
import type { FieldModel, KindModel, TypeModel, TypeRefModel } from "../../../model/model.ts"
import { extension } from "../../../model/openapi/extensions.ts"
import { definitionName } from "../../../model/openapi/names.ts"
import { Definitions } from "../../../model/openapi/schemas.ts"
import { docWithValues } from "../../../model/published-field.ts"
import { type OpenApiSource, typeIn } from "../../../model/openapi/source.ts"
import type { Findings, Path } from "../findings.ts"
import { formatPatterns, impliedFields } from "../names.ts"
import { flatFields, isEmbedded, partOf, withInline, type SchemaWriter, type ValuePlace } from "./fields.ts"
import { fieldValidations, presenceRules, typeValidations } from "./validations.ts"
import { isFormatSaid, plainWords, scalarSchema } from "./values.ts"

export class StructuralWriter implements SchemaWriter {
  private readonly definitions: Definitions

  constructor(
    readonly source: OpenApiSource,
    readonly findings: Findings,
  ) {
    this.definitions = new Definitions({ ...source, publishesLimits: () => true }, "v3", docWithValues)
  }

  /** The schema of the objects of a kind. */
  root(kind: KindModel): JsonObject {
    const type = typeIn(this.source, kind.type)
    const { properties, ...rest } = this.struct(type, { path: [], isCorrelated: true, around: [] }, kind)
    const own = isObject(properties) ? Object.entries(properties).filter(([name]) => !impliedFields.has(name)) : []
    const nameRule = formatPatterns[kind.nameRule]
    const isNamed = kind.nameRule !== "dns-subdomain" && nameRule !== undefined
    if (kind.nameRule === "path-segment") this.findings.lost(["names", "rule"], "names of objects are DNS subdomains in definitions")
    return {
      ...rest,
      description: type.doc,
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { type: "object", ...(isNamed && { properties: { name: { type: "string", ...nameRule } } }) },
        ...Object.fromEntries(own),
      },
    }
  }

  /** The published schema of a type, whose properties may be references. */
  published(type: TypeModel): JsonObject {
    const name = definitionName(type, type.localName)
    this.definitions.reference(name)
    return this.definitions.found.get(name) ?? {}
  }

  /** The schema of a struct. `kind`: it is the object itself. */
  private struct(type: TypeModel, place: ValuePlace, kind?: KindModel): JsonObject {
    if (place.around.includes(type.name)) {
      this.findings.lost(place.path, `${type.localName} holds itself: its fields are kept and not checked from here on`)
      return { type: "object", [`${extension}preserve-unknown-fields`]: true }
    }
    const inner: ValuePlace = { ...place, around: [...place.around, type.name] }
    const published = this.published(type)
    const { properties, required, ...rest } = plainWords(published)
    const fields = flatFields(type, this.source)
    const embedded = kind === undefined && isEmbedded(fields)
    const own = fields.filter(({ name }) => !((kind !== undefined || embedded) && impliedFields.has(name)))
    const made = own.map((field) => [field.name, this.field(field, member(properties, field.name), inner)] as const)
    this.reportType(type, place)
    const needed = (Array.isArray(required) ? required : []).filter((name) => own.some((field) => field.name === name))
    const schema: JsonObject = {
      ...rest,
      ...(needed.length > 0 && { required: needed }),
      ...(made.length > 0 && { properties: Object.fromEntries(made) }),
      ...(embedded && { [`${extension}embedded-resource`]: true }),
    }
    return { ...schema, ...this.validations(type, own, schema, { place, isRoot: kind !== undefined }) }
  }

  /** The rules of a struct: its own, its groups, and that unchanging fields neither come nor go. */
  private validations(
    type: TypeModel,
    fields: readonly FieldModel[],
    schema: JsonObject,
    { place, isRoot }: { place: ValuePlace; isRoot: boolean },
  ): JsonObject {
    const { rules, moved, junctors } = typeValidations(withInline(type, this.source), { writer: this, place, schema, isRoot, type })
    for (const { field, rule } of moved) {
      const property = member(schema.properties, field)
      const before = property[`${extension}validations`]
      property[`${extension}validations`] = [...(Array.isArray(before) ? before : []), rule]
    }
    const all = [...rules, ...presenceRules(fields, schema, place)]
    return { ...junctors, ...(all.length > 0 && { [`${extension}validations`]: all }) }
  }

  private field(field: FieldModel, published: JsonObject, outer: ValuePlace): JsonObject {
    const path = [...outer.path, field.name]
    const place: ValuePlace = { ...outer, path }
    const schema = this.value(field.type, published, field, place)
    const rules = fieldValidations(field, outer.isCorrelated)
    if (rules.length === 0 && field.immutable !== false)
      this.findings.lost([...path, "immutable"], "items of a list that is replaced as a whole have no old value")
    reportField(field, path, this.findings)
    delete schema.nullable
    const own = schema[`${extension}validations`]
    const all = [...(Array.isArray(own) ? own : []), ...rules]
    this.reportParts(field.type, field, path)
    const { description: _published, ...rest } = schema
    return {
      description: published.description ?? "",
      ...rest,
      ...(field.nullable === true && { nullable: true }),
      ...(all.length > 0 && { [`${extension}validations`]: all }),
      ...this.merging(field, schema, path),
    }
  }

  /** Keys of a map list must be required or have a default. */
  private merging(field: FieldModel, { items }: JsonObject, path: Path): JsonObject {
    const item = partOf(field.type)
    if (field.listType !== "map" || item === undefined || !("ref" in item) || !isObject(items)) return {}
    const fields = flatFields(typeIn(this.source, item.ref), this.source)
    for (const key of field.mapKeys ?? []) {
      const known = fields.find(({ name }) => name === key)
      const property = member(items.properties, key)
      const required = Array.isArray(items.required) ? items.required : []
      if (known === undefined || property.default !== undefined || required.includes(key)) continue
      if (!known.pointer && property.type === "string") property.default = ""
      else if (!known.pointer && property.type === "integer") property.default = 0
      else {
        items.required = [...required, key]
        this.findings.lost([...path, "items", key], "keys of a list are required in definitions")
      }
    }
    return {}
  }

  /** The schema of a value without references. */
  private value(type: TypeRefModel, published: JsonObject, limits: Limits, place: ValuePlace): JsonObject {
    const own = plainWords(published)
    if ("ref" in type) {
      const { description: _inner, ...struct } = this.struct(typeIn(this.source, type.ref), place)
      return { ...struct, ...own }
    }
    if ("union" in type) {
      this.findings.lost([...place.path, "type"], "definitions have no unions: any value is taken here")
      return { ...own, [`${extension}preserve-unknown-fields`]: true }
    }
    const part = partOf(type)
    if (part === undefined) return "scalar" in type ? scalarSchema(type.scalar, own, limits) : own
    const isList = !("map" in type)
    const word = isList ? "items" : "additionalProperties"
    const isCorrelated = place.isCorrelated && (!isList || own[`${extension}list-type`] === "map")
    const inner = isObject(published[word]) ? published[word] : {}
    const made = this.value(part, inner, (isList ? limits.items : limits.values) ?? {}, {
      ...place,
      path: [...place.path, word],
      isCorrelated,
    })
    delete made.default
    delete made.nullable
    return { ...own, [word]: made }
  }

  private reportType(type: TypeModel, { path }: ValuePlace): void {
    for (const name of type.checks) this.findings.lost([...path, "checks"], `the check ${name} is TypeScript: a definition has none`)
    for (const { set } of type.defaults)
      this.findings.lost([...path, "defaults", set], "a default that is computed: definitions have constants")
  }

  /** Reports limits on parts of a value that a definition cannot express. */
  private reportParts(type: TypeRefModel, limits: Limits, path: Path): void {
    const { format } = limits
    if (format !== undefined && !isFormatSaid(format, {}) && !["port-number", "user-id", "group-id", "file-mode"].includes(format))
      this.findings.lost([...path, "format"], `no server of definitions checks the format ${format}`)
    if (limits.multipleOf !== undefined && !Number.isInteger(limits.multipleOf))
      this.findings.note([...path, "multipleOf"], "servers of definitions divide binary fractions: 4.35 is no multiple of 0.01 there")
    if (limits.openEnum === true) this.findings.lost([...path, "enum"], "definitions refuse what an enum does not name: the field has none")
    if (limits.publishedEnum !== undefined) this.findings.note([...path, "publishedEnum"], "definitions publish the values that they take")
    if (limits.keys !== undefined) this.findings.lost([...path, "keys"], "definitions do not limit the keys of a map")
    const part = partOf(type)
    if (part === undefined) return
    if (limits.items !== undefined) this.reportParts(part, limits.items, [...path, "items"])
    if (limits.values !== undefined) this.reportParts(part, limits.values, [...path, "values"])
  }
}

function member(properties: JsonValue | undefined, name: string): JsonObject {
  const found = isObject(properties) ? properties[name] : undefined
  return isObject(found) ? found : {}
}

/** Reports keywords of a field that a definition cannot express. */
function reportField(field: FieldModel, path: Path, findings: Findings): void {
  const lost = (word: string, text: string): void => findings.lost([...path, word], text)
  if (field.references !== undefined) lost("references", "definitions do not look up other objects")
  if (field.requiredOn !== undefined) lost("requiredOn", `definitions do not know the operation ${field.requiredOn}`)
  if (field.deprecated) findings.note([...path, "deprecated"], "definitions have no deprecated fields")
  const keepsRepeats = (field.listType === "set" || field.listType === "map") && field.distinct === undefined && field.unique.length === 0
  if (keepsRepeats && partOf(field.type) !== undefined) lost("duplicates", "definitions refuse items that repeat")
  for (const names of field.unique) {
    const keys = field.listType === "map" ? (field.mapKeys ?? []) : field.listType === "set" ? [] : undefined
    if (keys === undefined || keys.length !== names.length || !names.every((name) => keys.includes(name)))
      lost(
        "unique",
        `definitions do not compare ${names.length === 0 ? "items" : `items by ${names.join(", ")}`}, except in sets and map lists`,
      )
  }
  if (field.patch !== undefined && !(field.listType === "map" && field.mapKeys?.[0] === field.mergeKey))
    findings.note([...path, "patchStrategy"], "definitions have no strategic merge patches")
  if ("scalar" in field.type && field.type.scalar === "MicroTime")
    findings.note([...path, "type"], "definitions have one form of times: microseconds are not demanded")
}
