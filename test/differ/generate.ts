/** Draws values for a schema, and changes valid objects so that most of them are nearly valid. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import type { SeededRandom } from "../sim/world/random.ts"
import type { Schema, Schemas } from "./schemas.ts"

type Some = readonly [JsonValue, ...JsonValue[]]

const integers: Some = [0, 1, 2, 5, 80, 443, 30_000, 65_535, 65_536, -1, 100, 2_147_483_647]
const quantities: Some = ["1", "100m", "1Gi", "1.5", "0", "-1", "1e3", "2Ki", "0.5", "1x"]
const portsAndShares: Some = [1, 80, 0, -1, "http", "50%", "101%", "0%", "8080", "A_b"]
const moments: Some = ["2020-01-01T00:00:00Z", "2021-06-01T12:00:00Z", "2020-01-01"]
const words: Some = [
  ...([
    "a",
    "b-1",
    "example.com/a",
    "A b",
    "",
    "x".repeat(64),
    "a.b",
    "1.2.3.4",
    "10.0.0.300",
    "::1",
    "/a/b",
    "../a",
    "true",
    "*",
  ] as const),
  ...([
    "kubernetes.io/a",
    "10.1.0.0/16",
    "2001:db8::/32",
    "https://a.example.com/b",
    "http://a",
    "v1",
    "apps/v1",
    "UTC",
    "5m",
    "-a",
    "a-",
  ] as const),
]
const wrong: Some = [true, 1, "x", [], {}, 1.5, ["a"], { a: "b" }]

/** Levels below a drawn value that have more than required fields. */
const depthMax = 3

/** Values of enums that a description names in quotes. */
function namedValues(schema: Schema): string[] {
  return [...(schema.description ?? "").matchAll(/["'`]([A-Za-z][\w.-]{1,40})["'`]/g)].map(([, value = ""]) => value)
}

export function drawValue(random: SeededRandom, schemas: Schemas, given: Schema, depth = 0): JsonValue {
  const schema = schemas.resolve(given)
  if (schema.enum !== undefined && random.chance(0.9)) return (schema.enum[random.integer(schema.enum.length)] ?? null) as JsonValue // A JSON schema.
  if (schema.type === "boolean") return random.chance(0.5)
  if (schema.format === "int-or-string") return random.pick(portsAndShares)
  if (schema.type === "integer" || schema.type === "number") return random.pick(integers)
  if (schema.type === "array")
    return Array.from({ length: 1 + random.integer(2) }, () => drawValue(random, schemas, schema.items ?? {}, depth + 1))
  if (schema.properties !== undefined) return drawObject(random, schemas, schema, depth)
  if (schema.type === "object") return drawMap(random, schemas, schema, depth)
  return drawText(random, schema)
}

function drawText(random: SeededRandom, schema: Schema): JsonValue {
  if (schema.format === "date-time") return random.pick(moments)
  if (schema.format === "byte") return random.pick(["aGk=", "", "!"])
  if (/Quantity is a fixed-point/.test(schema.description ?? "") || schema.type === undefined) return random.pick(quantities)
  const named = namedValues(schema)
  if (named.length > 0 && random.chance(0.6)) return named[random.integer(named.length)] ?? ""
  return random.chance(0.4) ? "a" : random.pick(words)
}

function drawObject(random: SeededRandom, schemas: Schemas, schema: Schema, depth: number): JsonObject {
  const drawn: JsonObject = {}
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const share = schema.required?.includes(name) === true ? 0.95 : depth >= depthMax ? 0.02 : 0.25
    if (random.chance(share)) drawn[name] = drawValue(random, schemas, field, depth + 1)
  }
  return drawn
}

function drawMap(random: SeededRandom, schemas: Schemas, schema: Schema, depth: number): JsonObject {
  const key = random.pick(["a", "cpu", "memory", "example.com/a", "storage", "A b", "kubernetes.io/os"])
  return { [key]: schema.additionalProperties === undefined ? "a" : drawValue(random, schemas, schema.additionalProperties, depth + 1) }
}

/** A copy of the object with one to three changes at random places. Never changes its argument. */
export function mutate(random: SeededRandom, schemas: Schemas, object: JsonObject, schema: Schema): JsonObject {
  const copy = structuredClone(object)
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) change(random, schemas, copy, schema)
  return copy
}

function change(random: SeededRandom, schemas: Schemas, at: JsonObject, given: Schema): void {
  const schema = schemas.resolve(given)
  const inner = Object.keys(at).filter((name) => typeof at[name] === "object" && at[name] !== null)
  const down = inner[random.integer(inner.length)]
  if (down !== undefined && random.chance(0.8)) {
    const below = schema.properties?.[down] ?? schema.additionalProperties ?? {}
    if (descend(random, schemas, at, down, below)) return
  }
  const names = Object.keys(schema.properties ?? {})
  const known = random.chance(0.7) ? names[random.integer(names.length)] : Object.keys(at)[random.integer(Object.keys(at).length)]
  const name = known ?? "a"
  // Another name would be another object.
  if (["kind", "apiVersion", "name", "namespace", "uid", "resourceVersion"].includes(name) && random.chance(0.9)) return
  // By design, an empty list in a field that is always written has no owner here.
  const mayBeEmpty = schema.required?.includes(name) !== true
  // By design, a null in a map of bytes has no owner either: there, each write of one takes the key from its owner.
  const mayBeNull = schema.additionalProperties?.format !== "byte"
  changeField(random, schemas, { at, name, mayBeEmpty, mayBeNull }, schema.properties?.[name] ?? schema.additionalProperties ?? {})
}

/** Changes something below a field; false when the field has nothing below. */
function descend(random: SeededRandom, schemas: Schemas, at: JsonObject, name: string, schema: Schema): boolean {
  const value = at[name]
  if (isObject(value)) {
    change(random, schemas, value, schema)
    return true
  }
  if (!Array.isArray(value) || value.length === 0) return false
  const index = random.integer(value.length)
  const item = value[index] ?? null
  const items = schemas.resolve(schema).items ?? {}
  const how = random.integer(10)
  if (how === 0) value.push(structuredClone(item))
  else if (how === 1) value.push(drawValue(random, schemas, items))
  else if (isObject(item)) change(random, schemas, item, items)
  else value[index] = random.chance(0.8) ? drawValue(random, schemas, items) : structuredClone(random.pick(wrong))
  return true
}

interface FieldToChange {
  readonly at: JsonObject
  readonly name: string
  readonly mayBeEmpty: boolean
  readonly mayBeNull: boolean
}

function changeField(random: SeededRandom, schemas: Schemas, field: FieldToChange, schema: Schema): void {
  const { at, name, mayBeEmpty, mayBeNull } = field
  const how = random.integer(100)
  if (how < 60) at[name] = drawValue(random, schemas, schema)
  else if (how < 75) delete at[name]
  else if (how < 82) at[name] = mayBeNull ? null : ""
  else if (how < 90 && (mayBeEmpty || !Array.isArray(at[name])))
    at[name] = Array.isArray(at[name]) ? [] : isObject(at[name]) ? {} : typeof at[name] === "number" ? 0 : ""
  else if (how < 96) at[name] = wrongValue(random, mayBeEmpty)
  else at[`${name}X`] = "a"
}

function wrongValue(random: SeededRandom, mayBeEmpty: boolean): JsonValue {
  const value = random.pick(wrong)
  return Array.isArray(value) && value.length === 0 && !mayBeEmpty ? "x" : structuredClone(value)
}

/**
 * The value without empty lists and maps in the items of lists that have one owner. There, a list has changed when a
 * client writes an empty one in an item that had none; here, by design, it has not.
 */
export function withoutEmptyInItems(schemas: Schemas, value: JsonValue, given: Schema, inItem = false): JsonValue {
  const schema = schemas.resolve(given)
  if (Array.isArray(value)) {
    const hasKeys = schema["x-kubernetes-list-type"] === "map" || schema["x-kubernetes-patch-strategy"]?.includes("merge") === true
    return value.map((item) => withoutEmptyInItems(schemas, item, schema.items ?? {}, inItem || !hasKeys))
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, field]): [string, JsonValue] => {
    const below = schema.properties?.[name] ?? schema.additionalProperties ?? {}
    const isMap = schemas.resolve(below).additionalProperties !== undefined
    const isNothing = Array.isArray(field) ? field.length === 0 : isMap && isObject(field) && Object.keys(field).length === 0
    return [name, inItem && isNothing ? null : withoutEmptyInItems(schemas, field ?? null, below, inItem)]
  })
  return Object.fromEntries(fields)
}
