/** Random objects of a type, built from its shape only, for properties that must hold for every kind. */
import fc from "fast-check"
import { formatDuration } from "../../runtime/base/duration.ts"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { parseJson, setField } from "../../runtime/encoding/json/text.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../runtime/schema/shape.ts"
import { formatMicroTime, formatTime } from "../../runtime/base/time.ts"

/** The number of fields at depth 0, 1, 2, ...: a pod with every field would be huge. */
const fieldsMax = [8, 5, 3, 2, 2, 1, 1, 1]
const fieldsMin = [0, 1, 1, 0]

/**
 * A document of the type, not yet normalized: every field may be absent, empty or set. Omits fields without a number.
 */
export function arbitraryObject(shape: TypeShape, depth = 0): fc.Arbitrary<JsonObject> {
  return objectWith(jsonFields(shape), depth, arbitraryValue)
}

/**
 * Anything that a schema accepts, not yet normalized: also fields without a number, unknown ones where the type keeps
 * them, null for any value, and values in a form that is not the canonical one.
 */
export function arbitraryDocument(shape: TypeShape, depth = 0): fc.Arbitrary<JsonObject> {
  const known = objectWith(allJsonFields(shape), depth, anyValue)
  if (shape.preserveUnknown !== true) return known
  return fc
    .tuple(known, fc.dictionary(fc.constantFrom("other", "10", "x-y", "__proto__"), json, { maxKeys: 2 }))
    .map(([fields, others]) => {
      const whole: JsonObject = { ...fields }
      for (const [name, value] of Object.entries(others)) setField(whole, name, value)
      return whole
    })
}

function anyValue(type: TypeRef, depth: number): fc.Arbitrary<JsonValue> {
  return fc.option(presentValue(type, depth), { freq: 8 })
}

function presentValue(type: TypeRef, depth: number): fc.Arbitrary<JsonValue> {
  if ("scalar" in type)
    return spoken[type.scalar] === undefined ? scalars[type.scalar] : fc.oneof(scalars[type.scalar], spoken[type.scalar] ?? text)
  if ("ref" in type) return arbitraryDocument(type.ref(), depth)
  if ("union" in type) return fc.oneof(...type.union().fields.map((member) => presentValue(member.type, depth)))
  if ("map" in type) return fc.array(fc.tuple(text, anyValue(type.map, depth)), { maxLength: 3 }).map(objectOf)
  return fc.array(anyValue("list" in type ? type.list : type.wrappedList, depth), { maxLength: 3 })
}

function allJsonFields(shape: TypeShape): FieldShape[] {
  return shape.fields.flatMap((field) => (field.inline === true && "ref" in field.type ? allJsonFields(field.type.ref()) : [field]))
}

function objectWith(
  fields: readonly FieldShape[],
  depth: number,
  arbitraryValue: (type: TypeRef, depth: number) => fc.Arbitrary<JsonValue>,
): fc.Arbitrary<JsonObject> {
  return fc
    .subarray([...fields], {
      minLength: Math.min(fields.length, fieldsMin[depth] ?? 0),
      maxLength: Math.min(fields.length, fieldsMax[depth] ?? 0),
    })
    .chain((chosen) =>
      fc.tuple(...chosen.map((field) => arbitraryValue(field.type, depth + 1).map((value) => [field.name, value] as const))),
    )
    .map(objectOf)
}

/** The fields as in JSON: fields of inline types belong to the parent. */
function jsonFields(shape: TypeShape): FieldShape[] {
  return shape.fields
    .filter(({ number }) => number !== undefined)
    .flatMap((field) => (field.inline === true && "ref" in field.type ? jsonFields(field.type.ref()) : [field]))
}

function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = {}
  for (const [name, value] of entries) setField(object, name, value)
  return object
}

function arbitraryValue(type: TypeRef, depth: number): fc.Arbitrary<JsonValue> {
  if ("scalar" in type) return scalars[type.scalar]
  if ("ref" in type) return arbitraryObject(type.ref(), depth)
  if ("union" in type) return fc.oneof(...type.union().fields.map((member) => arbitraryValue(member.type, depth)))
  if ("map" in type) return fc.array(fc.tuple(text, arbitraryValue(type.map, depth)), { maxLength: 3 }).map(objectOf)
  return fc.array(arbitraryValue("list" in type ? type.list : type.wrappedList, depth), { maxLength: 3 })
}

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constantFrom("", "__proto__", "constructor", "10", "9"),
)
const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1))
const int64 = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value))
/** 0001-01-01 to 9999-12-31. */
const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
/** JSON as the server reads it: integers beyond 2^53 are exact. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): JsonValue => parseJson(JSON.stringify(value)).value)
const jsonObject = fc.dictionary(text, json, { maxKeys: 3 }).map((object) => objectOf(Object.entries(object)))

const scalars: Readonly<Record<Scalar, fc.Arbitrary<JsonValue>>> = {
  string: text,
  boolean: fc.boolean(),
  int32,
  int64: fc.oneof(int64, int32),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  Time: seconds.map((value) => formatTime({ seconds: value, nanos: 0 })),
  MicroTime: fc.tuple(seconds, fc.nat(999_999)).map(([value, micros]) => formatMicroTime({ seconds: value, nanos: micros * 1000 })),
  Duration: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map((nanoseconds) => formatDuration(nanoseconds)),
  Quantity: fc
    .tuple(fc.integer({ min: -9_999_999, max: 9_999_999 }), fc.constantFrom("", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3"))
    .map(([number, suffix]) => `${number}${suffix}`),
  IntOrString: fc.oneof(int32, text, fc.constantFrom("25%", "101%", " 5", "0x5%", "1.5%", "1e1", "-9223372036854775809")),
  RawExtension: jsonObject,
  FieldsV1: jsonObject,
  any: json,
}

/** Values that decoding brings into another form. */
const spoken: Partial<Readonly<Record<Scalar, fc.Arbitrary<JsonValue>>>> = {
  Duration: fc.constantFrom("1h", "90m", "0", "0s", "1.5h", "-2m"),
  Quantity: fc.constantFrom("0", "1.0", "1000m", "0.5Gi", 3),
  Time: fc.constantFrom("2020-01-01T02:00:00+02:00", "0001-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z"),
  MicroTime: fc.constantFrom("2020-01-01T02:00:00.500000+02:00", "0001-01-01T00:00:00.000000Z"),
  RawExtension: fc.constantFrom<JsonValue>(1, "x", [1, null], { a: null }),
  double: fc.constantFrom(-0, 1e21, 5e-324),
}
