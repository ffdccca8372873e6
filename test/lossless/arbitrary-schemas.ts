/** Random schema files of one kind each, as JSON, which is YAML. */
import fc from "fast-check"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import type { Scalar } from "../../runtime/schema/shape.ts"

/** Which things schemas may have. Absent: all. */
export interface SchemaOptions {
  readonly defaults?: boolean
  /** Scalars that may have a default have one. */
  readonly onlyDefaults?: boolean
  readonly preserveUnknown?: boolean
  /** Fields without a number, and types that have no compact form. */
  readonly unnumbered?: boolean
}

/** A kind: its fields are those of the first type. */
export interface SchemaCase {
  readonly types: readonly TypeCase[]
}

interface TypeCase {
  readonly preserveUnknown: boolean
  readonly fields: readonly FieldCase[]
}

interface FieldCase {
  /** `T1` is the type with that index of the same kind. */
  readonly type: string
  readonly numbered: boolean
  readonly pointer: boolean
  readonly keepEmpty: boolean
  readonly default?: JsonValue
  readonly inline?: boolean
}

const scalars: readonly Scalar[] = [
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
]

const defaults: Partial<Readonly<Record<Scalar, readonly JsonValue[]>>> = {
  string: ["tea", ""],
  int32: [7],
  int64: [9],
  double: [1.5],
  Duration: ["1h", "90m", "1h0m0s"],
  Quantity: ["1000m", "2Gi", "1"],
}

/** Types later in the list may refer to themselves and earlier ones only where that ends: by pointer, list or map. */
export function arbitrarySchema(options: SchemaOptions = {}): fc.Arbitrary<SchemaCase> {
  return fc
    .integer({ min: 1, max: 3 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_none, index) => arbitraryType(index, count, options))))
    .map((types) => ({ types }))
}

function arbitraryType(index: number, count: number, options: SchemaOptions): fc.Arbitrary<TypeCase> {
  return fc.record({
    preserveUnknown: options.preserveUnknown === false ? fc.constant(false) : often(fc.boolean(), false, 5),
    fields: fc.array(arbitraryField(index, count, options), { minLength: 1, maxLength: 5 }).map(withMessage),
  })
}

/** A type without any number has no message; types that have one may not refer to it. */
function withMessage([first, ...others]: FieldCase[]): FieldCase[] {
  if (first === undefined || first.numbered) return first === undefined ? [] : [first, ...others]
  return [{ ...first, numbered: true, type: loose.some((around) => isLike(first.type, around)) ? "string" : first.type }, ...others]
}

const loose = ["[][]X", "[]map<X>"]

function isLike(type: string, around: string): boolean {
  return type.startsWith(around.split("X")[0] ?? "")
}

function arbitraryField(index: number, count: number, options: SchemaOptions): fc.Arbitrary<FieldCase> {
  const scalar = fc.constantFrom(...scalars)
  const flags = {
    numbered: options.unnumbered === false ? fc.constant(true) : often(fc.boolean(), true, 6),
    pointer: often(fc.boolean(), false, 3),
    keepEmpty: often(fc.boolean(), false, 4),
  }
  const plain = scalar.chain((type) => {
    const values = options.defaults === false ? undefined : defaults[type]
    const value =
      values === undefined
        ? fc.constant(undefined)
        : fc.option(fc.constantFrom(...values), { nil: undefined, freq: options.onlyDefaults === true ? 1000 : 5 })
    return fc.tuple(fc.record({ ...flags, type: fc.constant<string>(type) }), value).map(withDefault)
  })
  const any = fc.oneof(
    scalar,
    fc.integer({ min: 0, max: count - 1 }).map((other) => `T${other}`),
  )
  const containers = ["[]X", "map<X>", "map<wrapped<[]X>>", "wrapped<[]X>"]
  const container = fc
    .tuple(fc.constantFrom(...containers, ...(options.unnumbered === false ? [] : loose)), any)
    .chain(([around, type]) => {
      const numbered = loose.includes(around) ? fc.constant(false) : flags.numbered
      return fc.record({ ...flags, numbered, type: fc.constant(around.replace("X", type)) })
    })
  if (index === count - 1) return fc.oneof(plain, container)
  const later = fc.integer({ min: index + 1, max: count - 1 }).map((other) => `T${other}`)
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 3, arbitrary: container }, fc.record({ ...flags, type: later }))
}

function often<T>(other: fc.Arbitrary<T>, usual: T, weight: number): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}

function withDefault([field, value]: [FieldCase, JsonValue | undefined]): FieldCase {
  return value === undefined ? field : { ...field, default: value }
}

const group = "kitchen.example.com"
const doc = "A thing."

/** The kind's name from its place in a folder of schemas. */
export function kindName(index: number): string {
  return `Cup${index}`
}

/** Path and text of the schema file. `renumber`: the number of a field from its place in its type. */
export function schemaFile(
  schema: SchemaCase,
  index: number,
  renumber: (place: number) => number = (place) => place + 2,
): readonly [string, string] {
  const name = kindName(index)
  const types = schema.types.map((type, at) => [`${name}T${at}`, typeBlock(type, name, at, renumber)] as const)
  const file: JsonObject = {
    kind: name,
    group,
    version: "v1",
    doc,
    scope: "Namespaced",
    names: { plural: `${name.toLowerCase()}s` },
    fields: { spec: { type: `${name}T0`, number: 2, doc } },
    types: Object.fromEntries(types),
  }
  return [`${group}/v1/${name.toLowerCase()}.yaml`, JSON.stringify(file)]
}

function typeBlock({ preserveUnknown, fields }: TypeCase, kind: string, at: number, renumber: (place: number) => number): JsonObject {
  const entries = fields.map((field, place): [string, JsonObject] => [
    `t${at}f${place}`,
    {
      type: field.type.replaceAll(/T(\d)/g, `${kind}T$1`),
      doc,
      ...(field.numbered && { number: renumber(place) }),
      ...(field.pointer && { pointer: true }),
      ...(field.keepEmpty && { keepEmpty: true }),
      ...(field.default !== undefined && { default: field.default }),
      ...(field.inline === true && { inline: true }),
    },
  ])
  return { doc, ...(preserveUnknown && { preserveUnknown: true }), fields: Object.fromEntries(entries) }
}
