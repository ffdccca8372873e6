/** Random schema files with one kind each, in JSON, which is valid YAML. */
import fc from "fast-check"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { type Scalar, scalarNames } from "../../runtime/schema/shape.ts"

/** Features that schemas may have. Absent: all. */
export interface SchemaOptions {
  readonly defaults?: boolean
  /** Scalars that may have a default have one. */
  readonly onlyDefaults?: boolean
  /** Only types that the compact encoding holds, so that kinds are stored in it. Absent: most schemas. */
  readonly compact?: boolean
  /** In schemas that are not compact: fields without a number, and types that have no compact form. */
  readonly unnumbered?: boolean
  /** Whether the schema states numbers. Absent: some do. */
  readonly stated?: boolean
}

/** A kind, with the fields of the first type. */
export interface SchemaCase {
  readonly types: readonly TypeCase[]
  /** The schema states the numbers; otherwise the generator assigns them. */
  readonly stated: boolean
}

export interface TypeCase {
  readonly preserveUnknown: boolean
  readonly fields: readonly FieldCase[]
}

export interface FieldCase {
  /** `T1` is the type with that index of the same kind; `fields`, the type of `fields`. */
  readonly type: string
  readonly numbered: boolean
  readonly pointer?: boolean
  /** Only on fields without a number. */
  readonly nullable?: boolean
  readonly keepEmpty?: boolean
  readonly default?: JsonValue
  readonly inline?: boolean
  /** Fields that are declared in place. */
  readonly fields?: readonly FieldCase[]
  /** The field's name, from its first place; other fields may be added before it. */
  readonly name?: string
}

const defaults: Readonly<Record<string, readonly JsonValue[]>> = {
  string: ["tea", ""],
  int32: [7],
  int64: [9],
  double: [1.5],
  Duration: ["1h", "90m", "1h0m0s"],
  Quantity: ["1000m", "2Gi", "1"],
  Time: ["2020-01-01T02:00:00+02:00"],
  MicroTime: ["2020-01-01T02:00:00.500000+02:00"],
  IntOrString: ["half", 3],
  "[]string": [["a", "b"]],
  "map<Quantity>": [{ cpu: "1000m", memory: "0.5Gi" }],
}

/** Types later in the list may refer to themselves and earlier ones only where that ends: by pointer, list or map. */
export function arbitrarySchema(options: SchemaOptions = {}): fc.Arbitrary<SchemaCase> {
  const stated = options.stated === undefined ? fc.boolean() : fc.constant(options.stated)
  const compact = options.compact === undefined ? often(fc.constant(false), true, 2) : fc.constant(options.compact)
  return fc.tuple(fc.integer({ min: 1, max: 3 }), stated, compact).chain(([count, isStated, isCompact]) => {
    const types = Array.from({ length: count }, (_none, index) =>
      arbitraryType(index, count, { ...options, stated: isStated, compact: isCompact }),
    )
    return fc.record({ types: fc.tuple(...types).map(withUnknown), stated: fc.constant(isStated) })
  })
}

function arbitraryType(index: number, count: number, options: SchemaOptions): fc.Arbitrary<TypeCase> {
  const fields = fc.array(arbitraryField(index, count, options), { minLength: 1, maxLength: 5 })
  return fc.record({
    preserveUnknown: options.compact === true ? fc.constant(false) : often(fc.boolean(), false, 5),
    fields: fields.map(inlineOnce).map((list) => (options.stated === true ? withMessage(list) : list)),
  })
}

/** A type without any number has no message; fields that state a number may not refer to it. */
function withMessage([first, ...others]: readonly FieldCase[]): readonly FieldCase[] {
  if (first === undefined || first.numbered) return first === undefined ? [] : [first, ...others]
  return [{ ...first, numbered: true, nullable: false, type: isLoose(first.type) ? "string" : first.type }, ...others]
}

/** A type keeps unknown fields if one that is inline in it does; only the next type is ever inline. */
function withUnknown(types: readonly TypeCase[]): readonly TypeCase[] {
  return types.reduceRight<readonly TypeCase[]>((later, type) => {
    const isUnknown = type.fields.some(({ inline }) => inline === true) && later[0]?.preserveUnknown === true
    return [isUnknown ? { ...type, preserveUnknown: true } : type].concat(later)
  }, [])
}

/** A second inline field of one type would give its parent each of its fields twice. */
function inlineOnce(fields: readonly FieldCase[]): readonly FieldCase[] {
  const at = fields.findIndex(({ inline }) => inline === true)
  return fields.filter(({ inline }, index) => inline !== true || index === at)
}

const looseContainers = ["[][]X", "[]map<X>", "map<map<X>>", "map<[]X>", "map<[][]X>"]

function isLoose(type: string): boolean {
  return /^(\[\]|map<)(\[\]|map<)/.test(type)
}

/** Items of a list that may be null have no compact form. */
const nullScalars: readonly Scalar[] = ["any", "FieldsV1"]

function arbitraryField(index: number, count: number, options: SchemaOptions): fc.Arbitrary<FieldCase> {
  return notNullableField(index, count, options).chain((field) => {
    const mayBeNullable = !field.numbered && field.keepEmpty !== true && field.inline !== true
    return mayBeNullable ? fc.boolean().map((nullable) => ({ ...field, nullable })) : fc.constant(field)
  })
}

function notNullableField(index: number, count: number, options: SchemaOptions): fc.Arbitrary<FieldCase> {
  const isCompact = options.compact === true
  const flags = {
    numbered: isCompact || options.unnumbered === false ? fc.constant(true) : often(fc.boolean(), true, 6),
    pointer: often(fc.boolean(), false, 3),
    keepEmpty: often(fc.boolean(), false, 4),
  }
  const ofContainer = isCompact ? { ...flags, pointer: fc.constant(false) } : flags
  const withDefaults = (type: fc.Arbitrary<string>): fc.Arbitrary<FieldCase> =>
    type.chain((name) => {
      const record = fc.record({ ...(name.endsWith("]string") || name.endsWith(">") ? ofContainer : flags), type: fc.constant(name) })
      return fc.tuple(record, defaultOf(name, options)).map(withDefault)
    })
  const any = fc.oneof(
    fc.constantFrom<string>(...scalarNames.filter((scalar) => !isCompact || !nullScalars.includes(scalar))),
    fc.integer({ min: 0, max: count - 1 }).map((other) => `T${other}`),
  )
  const containers = ["[]X", "map<X>", "wrapped<[]X>", ...(isCompact ? [] : ["map<wrapped<[]X>>"])]
  const isLooseToo = !isCompact && options.unnumbered !== false
  const container = fc.tuple(fc.constantFrom(...containers, ...(isLooseToo ? looseContainers : [])), any).chain(([around, type]) => {
    const numbered = isLoose(around) && options.stated === true ? fc.constant(false) : flags.numbered
    return fc.record({ ...ofContainer, numbered, type: fc.constant(around.replace("X", type)) })
  })
  const all = [
    { weight: 4, arbitrary: withDefaults(fc.constantFrom<string>(...scalarNames, "[]string", "map<Quantity>")) },
    { weight: 4, arbitrary: container },
    { weight: 1, arbitrary: declaredInPlace(ofContainer, withDefaults(fc.constantFrom<string>(...scalarNames))) },
  ]
  if (index === count - 1) return fc.oneof(...all)
  const later = fc.integer({ min: index + 1, max: count - 1 }).map((other) => `T${other}`)
  const inline = fc.record({ numbered: flags.numbered, type: fc.constant(`T${index + 1}`), inline: fc.constant(true) })
  return fc.oneof(...all, { weight: 2, arbitrary: fc.record({ ...flags, type: later }) }, { weight: 1, arbitrary: inline })
}

interface Flags {
  readonly numbered: fc.Arbitrary<boolean>
  readonly pointer: fc.Arbitrary<boolean>
  readonly keepEmpty: fc.Arbitrary<boolean>
}

function declaredInPlace(flags: Flags, field: fc.Arbitrary<FieldCase>): fc.Arbitrary<FieldCase> {
  return fc.record({
    ...flags,
    type: fc.constantFrom("fields", "[]fields", "map<fields>"),
    fields: fc.array(field, { minLength: 1, maxLength: 3 }).map(withMessage),
  })
}

function often<T>(other: fc.Arbitrary<T>, usual: T, weight: number): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}

function defaultOf(type: string, options: SchemaOptions): fc.Arbitrary<JsonValue | undefined> {
  const values = options.defaults === false ? undefined : defaults[type]
  if (values === undefined) return fc.constant(undefined)
  return fc.option(fc.constantFrom(...values), { nil: undefined, freq: options.onlyDefaults === true ? 1000 : 5 })
}

function withDefault([field, value]: [FieldCase, JsonValue | undefined]): FieldCase {
  return value === undefined ? field : { ...field, default: value }
}

/** The schema with some of its fields, in another order, between new ones. */
export function changedSchema(schema: SchemaCase): fc.Arbitrary<SchemaCase> {
  const count = schema.types.length
  const types = schema.types.map((type, index) => {
    const named = type.fields.map((field, place) => ({ ...field, name: fieldName(field, `t${index}`, place) }))
    const added = fc.array(
      arbitraryField(count - 1, count, { defaults: false, stated: false }).filter((field) => !field.type.includes("T")),
      { maxLength: 2 },
    )
    // Without a numbered field a type has no message, and the generator refuses references to it.
    const staying = named.findIndex(({ numbered, type: text }) => numbered && !isLoose(text) && !text.includes("T"))
    return fc
      .tuple(fc.subarray(named, { minLength: 1 }), added)
      .chain(([some, more]) => {
        const kept = named.filter((field, place) => place === staying || some.includes(field))
        const fields = [...kept, ...more.map((field, place) => ({ ...field, name: `t${index}new${place}` }))]
        return fc.shuffledSubarray(fields, { minLength: fields.length })
      })
      .map((fields) => ({ ...type, fields }))
  })
  return fc.tuple(...types).map((changed) => ({ ...schema, types: withUnknown(changed) }))
}

const group = "kitchen.example.com"
const doc = "A thing."

/** The kind's name from its place in a folder of schemas. */
export function kindName(index: number): string {
  return `Cup${index}`
}

/** The number that a schema states for a field, from its place; where it states none, the order of the fields. */
export type Numbering = (place: number) => number

/** Path and text of the schema file. */
export function schemaFile(schema: SchemaCase, index: number, renumber: Numbering = (place) => place + 2): readonly [string, string] {
  const name = kindName(index)
  const numbering = { kind: name, stated: schema.stated, renumber }
  const types = schema.types.map((type, at) => [`${name}T${at}`, typeBlock(type, `t${at}`, numbering)] as const)
  const file: JsonObject = {
    kind: name,
    group,
    version: "v1",
    doc,
    scope: "Namespaced",
    names: { plural: `${name.toLowerCase()}s` },
    fields: { spec: { type: `${name}T0`, ...(schema.stated && { number: 2 }), doc } },
    types: Object.fromEntries(types),
  }
  return [`${group}/v1/${name.toLowerCase()}.yaml`, JSON.stringify(file)]
}

interface FileNumbering {
  readonly kind: string
  readonly stated: boolean
  readonly renumber: Numbering
}

function typeBlock({ preserveUnknown, fields }: TypeCase, prefix: string, numbering: FileNumbering): JsonObject {
  return { doc, ...(preserveUnknown && { preserveUnknown: true }), fields: fieldBlocks(fields, prefix, numbering) }
}

/** The name of the field at a place of a type. */
export function fieldName(field: FieldCase, prefix: string, place: number): string {
  return field.name ?? `${prefix}f${place}`
}

function fieldBlocks(fields: readonly FieldCase[], prefix: string, numbering: FileNumbering): JsonObject {
  const { stated, renumber } = numbering
  const entries = fields.map((field, place): [number, string, JsonObject] => {
    const name = fieldName(field, prefix, place)
    return [renumber(place), name, fieldBlock(field, name, { ...numbering, number: renumber(place) })]
  })
  if (!stated) entries.sort(([left], [right]) => left - right)
  return Object.fromEntries(entries.map(([, name, block]) => [name, block]))
}

function fieldBlock(field: FieldCase, name: string, numbering: FileNumbering & { readonly number: number }): JsonObject {
  const number = field.numbered ? (numbering.stated ? numbering.number : undefined) : "none"
  return {
    type: field.type.replaceAll(/T(\d)/g, `${numbering.kind}T$1`),
    doc,
    ...(number !== undefined && { number }),
    ...((field.pointer === true || field.nullable === true) && { pointer: true }),
    ...(field.nullable === true && { nullable: true }),
    ...(field.keepEmpty === true && { keepEmpty: true }),
    ...(field.default !== undefined && { default: field.default }),
    ...(field.inline === true && { inline: true }),
    ...(field.fields !== undefined && { fields: fieldBlocks(field.fields, name, numbering) }),
  }
}
