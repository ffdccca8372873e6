/**
 * The schemas of a kind as plain data, with the paths that findings have. Two words of the dialect that mean the same
 * in a definition are one fact here.
 */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"
import { bothSchemas, limitSchema, type Limits } from "../../../runtime/schema/constraints.ts"
import type { FieldModel, KindModel, Model, TypeModel, TypeRefModel } from "../../../model/model.ts"
import { zeroWithin } from "../../../model/openapi/limits.ts"
import { isConstantList } from "../../../model/defaults.ts"
import { typeIn } from "../../../model/openapi/source.ts"
import { Presence } from "../../../model/presence.ts"
import { docWithValues } from "../../../model/published-field.ts"
import { formatPatterns, impliedFields } from "../names.ts"
import { flatFields, isEmbedded, partOf } from "../to/fields.ts"

/** All facts of the model about a kind. */
export function factsOf(kind: KindModel, model: Model): JsonObject {
  const reader = new FactReader(kind, model)
  const { specReplicas, statusReplicas, selector } = kind.subresources.find(({ name }) => name === "scale")?.scale ?? {}
  const status = kind.subresources.find(({ name }) => name === "status")
  return {
    names: {
      kind: kind.kind,
      plural: kind.resource,
      singular: kind.singular,
      listKind: kind.listKind,
      shortNames: [...kind.shortNames],
      categories: [...kind.categories],
      rule: kind.nameRule,
      namespaced: kind.namespaced,
    },
    doc: kind.doc,
    served: kind.served !== false,
    deprecated: kind.deprecated === undefined ? false : { warning: kind.deprecated.warning },
    verbs: [...kind.verbs],
    storage: {
      shared: `${kind.storage.group}/${kind.storage.version} ${kind.storage.kind}`,
      ttl: kind.storage.ttlOption,
      cached: kind.storage.uncached !== true,
    },
    conversion: {
      rename: Object.fromEntries(kind.conversion?.rename.map(({ here, stored }) => [here, stored]) ?? []),
      behaviour: kind.conversion?.behaviour,
    },
    columns: Object.fromEntries(
      kind.columns.map(({ name, type, doc, priority, value }) => {
        // Every definition has these two by itself.
        const isOwn = value.text !== "metadata.name" && value.text !== "age(metadata.creationTimestamp)"
        return [name, { type: type === "date" ? "string" : type, doc: isOwn ? doc : "", priority, value: value.text }]
      }),
    ),
    selectable: Object.fromEntries(kind.selectable.map(({ name, value }) => [name, value.text])),
    subresources: {
      ...Object.fromEntries(kind.subresources.map((one) => [one.name, { verbs: [...one.verbs], behaviour: one.behaviour }])),
      ...(specReplicas !== undefined && { scale: { specReplicas, statusReplicas, selector } }),
      ...(status !== undefined && { status: { keeps: [...(status.keeps ?? [])] } }),
    },
    create: { drops: [...kind.create.drops] },
    update: { ...kind.update, keeps: [...kind.update.keeps], generation: [...(kind.update.generation ?? [])] },
    finalizers: kind.finalizers,
    delete: { ...kind.delete },
    behaviours: Object.fromEntries(kind.behaviours.map((name) => [name, true])),
    completed: kind.completed.map(({ when }) => when.text),
    warnings: [...kind.warnings.map(({ when }) => when.text), ...kind.warningChecks.map(({ name }) => name)],
    ...reader.struct(typeIn(reader.source, kind.type), true, []),
  }
}

class FactReader {
  readonly source: {
    readonly kinds: readonly KindModel[]
    readonly known: readonly KindModel[]
    readonly types: Model["types"]
    readonly publishesLimits: () => boolean
    readonly hasCompactForm: () => boolean
  }
  private readonly presence: Presence

  constructor(
    private readonly kind: KindModel,
    model: Model,
  ) {
    this.source = { kinds: model.kinds, known: model.kinds, types: model.types, publishesLimits: () => true, hasCompactForm: () => false }
    this.presence = new Presence(model.types)
  }

  /** The facts of a struct and, by name, the facts of its fields. */
  struct(type: TypeModel, isKind: boolean, around: readonly string[]): JsonObject {
    if (around.includes(type.name)) return { recursive: true }
    const fields = flatFields(type, this.source)
    const isImplied = isKind || isEmbedded(fields)
    return {
      checks: [...type.checks],
      defaults: Object.fromEntries(type.defaults.map(({ set, to }) => [set, isConstantList(to) ? JSON.stringify(to) : to.text])),
      // Definitions have groups and rules as CEL, which is compared as text.
      preserveUnknown: type.preserveUnknown,
      ...Object.fromEntries(
        fields
          .filter(({ name }) => !(isImplied && impliedFields.has(name)))
          .map((field) => [field.name, this.field(field, isKind ? this.kind : undefined, [...around, type.name])]),
      ),
    }
  }

  private field(field: FieldModel, kind: KindModel | undefined, around: readonly string[]): JsonObject {
    const inner = this.value(field.type, around)
    const isSet = field.listType === "set" && partOf(field.type) !== undefined
    const isMap = field.listType === "map" && partOf(field.type) !== undefined
    const own = field.unique.filter((names) => !(isSet && names.length === 0) && !(isMap && names.join() === field.mapKeys?.join()))
    return {
      ...inner,
      stated: !this.presence.mayBeLeftOut(field, kind),
      default: this.defaultOf(field),
      nullable: field.nullable === true,
      ...this.limits(field.type, field, field),
      ...(partOf(field.type) !== undefined && { listType: field.listType ?? "atomic", mapKeys: [...(field.mapKeys ?? [])] }),
      mapType: (field.mapType ?? field.structType ?? this.structType(field.type)) === "atomic",
      immutable: field.immutable,
      doc: docWithValues(field).split("\n\nPossible keys:")[0] ?? "",
      deprecated: field.deprecated,
      references: field.references !== undefined,
      requiredOn: field.requiredOn,
      unique: own.map((names) => [...names]),
      duplicates: (isSet || isMap) && field.distinct === undefined && field.unique.length === 0,
    }
  }

  private structType(type: TypeRefModel): TypeModel["structType"] {
    return "ref" in type ? typeIn(this.source, type.ref).structType : undefined
  }

  /** The value that a server fills in, also where the dialect calls it the zero value. */
  private defaultOf(field: FieldModel): JsonValue | undefined {
    if (field.default !== undefined) return field.default
    if (field.pointer || field.required === true || field.nonEmpty) return undefined
    if ("ref" in field.type) return this.presence.isFilledInVain(field) ? undefined : {}
    return field.keepEmpty || field.required !== false ? zeroWithin(field.type, field) : undefined
  }

  private limits(type: TypeRefModel, limits: Limits, field?: FieldModel): JsonObject {
    const nonEmpty: JsonObject =
      field?.nonEmpty !== true ? {} : partOf(type) === undefined ? { minLength: 1 } : "map" in type ? { minProperties: 1 } : { minItems: 1 }
    const format = limits.format === undefined ? undefined : formatPatterns[limits.format]
    const { format: _format, ...stated } = bothSchemas(bothSchemas(limitSchema(limits), nonEmpty), format ?? {})
    const part = partOf(type)
    const isRange = limits.format !== undefined && limitSchema({ format: limits.format }).minimum !== undefined
    const isBytes = limits.format === "base64" || ("scalar" in type && type.scalar === "bytes")
    return {
      ...stated,
      ...(limits.openEnum === true && { enum: { named: stated.enum } }),
      pattern: limits.pattern ?? stated.pattern,
      format: isRange ? undefined : isBytes ? "base64" : limits.format,
      keys: limits.keys === undefined ? undefined : { ...this.limits({ scalar: "string" }, limits.keys) },
      ...(part !== undefined && {
        ["map" in type ? "values" : "items"]: this.limits(part, ("map" in type ? limits.values : limits.items) ?? {}),
      }),
    }
  }

  private value(type: TypeRefModel, around: readonly string[]): JsonObject {
    const part = partOf(type)
    if (part !== undefined)
      return { type: "map" in type ? "map" : "list", ["map" in type ? "additionalProperties" : "items"]: this.value(part, around) }
    if ("scalar" in type) return { type: scalarFacts[type.scalar] ?? type.scalar }
    if (!("ref" in type)) return {}
    const struct = typeIn(this.source, type.ref)
    const isFree = struct.preserveUnknown && struct.fields.length === 0
    return isFree ? { type: "RawExtension" } : { type: "struct", ...this.struct(struct, false, around) }
  }
}

/** Scalars that are one type in definitions. */
const scalarFacts: Readonly<Record<string, string>> = { MicroTime: "Time", FieldsV1: "RawExtension", bytes: "string" }
