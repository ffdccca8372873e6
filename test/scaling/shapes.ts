/**
 * Builds objects of a kind from its shape: all its lists and maps, and items for them. Knows nothing about particular
 * kinds.
 */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../runtime/schema/shape.ts"

/** The steps from the root: field names, "[]" for the first item of a list, "{}" for the one entry of a map. */
export type FieldPath = readonly string[]

/** A list or a map of a kind. */
export interface Container {
  readonly path: FieldPath
  readonly field: FieldShape
  /** The path of the object that holds it: containers of one object are also scaled together. */
  readonly owner: FieldPath
  /** Neutral name of the owner's type. */
  readonly ownerType: string
  readonly item: TypeRef
  readonly isMap: boolean
}

/** Key of the map entry on the path to deeper containers. */
export const entryKey = "k"

/** Every list and map field of a kind. A type that occurs at several places counts at the first. */
export function containersOf(shape: TypeShape): Container[] {
  const found: Container[] = []
  const seen = new Set<string>()
  const walk = (type: TypeRef, path: FieldPath): void => {
    if ("ref" in type) walkShape(type.ref(), path)
    else if ("list" in type) walk(type.list, [...path, "[]"])
    else if ("wrappedList" in type) walk(type.wrappedList, [...path, "[]"])
    else if ("map" in type) walk(type.map, [...path, "{}"])
  }
  const walkShape = (of: TypeShape, path: FieldPath): void => {
    if (seen.has(of.name)) return
    seen.add(of.name)
    for (const field of jsonFields(of)) {
      const at = [...path, field.name]
      const item = itemOf(field.type)
      if (item !== undefined) found.push({ path: at, field, owner: path, ownerType: of.name, item, isMap: "map" in field.type })
    }
    // Required fields first: they are the easiest path to a type that occurs at several places.
    const fields = jsonFields(of).sort((left, right) => Number(right.required === true) - Number(left.required === true))
    for (const field of fields) walk(field.type, [...path, field.name])
  }
  walkShape(shape, [])
  return found
}

function itemOf(type: TypeRef): TypeRef | undefined {
  if ("list" in type) return type.list
  if ("wrappedList" in type) return type.wrappedList
  return "map" in type ? type.map : undefined
}

export function jsonFields(shape: TypeShape): FieldShape[] {
  return shape.fields.flatMap((field) => (field.inline === true && "ref" in field.type ? jsonFields(field.type.ref()) : [field]))
}

/** The forms that texts may need; the index makes them distinct. */
const texts: readonly ((index: number) => string)[] = [
  (index) => `a${index}`,
  (index) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  (index) => `${index + 1}`,
  (index) => `/a${index}`,
  (index) => `orch.io/a${index}`,
  (index) => `10.${(index >> 8) & 255}.${index & 255}.0/24`,
  (index) => `2026-01-02T03:04:${String(index % 60).padStart(2, "0")}Z`,
  (index) => `A${index}`,
  (index) => `a${index}:5`,
  (index) => `iqn.2001-04.com.example:a${index}`,
  () => "metadata.name",
  () => "limits.cpu",
]

const scalars: Readonly<Record<Exclude<Scalar, "string">, (index: number, attempt: number) => JsonValue>> = {
  boolean: (_, attempt) => attempt % 2 === 0,
  int32: (index, attempt) => [index + 1, 1, 0][attempt % 3] ?? 0,
  int64: (index, attempt) => [index + 1, 1, 0][attempt % 3] ?? 0,
  double: (index) => index + 1,
  bytes: (index) => Buffer.from(`a${index}`).toString("base64"),
  Time: (index) => `2026-01-02T03:04:${String(index % 60).padStart(2, "0")}Z`,
  MicroTime: (index) => `2026-01-02T03:04:${String(index % 60).padStart(2, "0")}.000000Z`,
  Duration: (index) => `${(index % 59) + 1}s`,
  Quantity: (index) => `${index + 1}`,
  IntOrString: (index) => index + 1,
  RawExtension: (index) => ({ a: index }),
  FieldsV1: (index) => ({ [`f:a${index}`]: {} }),
  any: (index) => index,
}

/** A value of the type; `attempt` selects among its possible forms. Structs have only their required fields. */
export function valueOf(type: TypeRef, index: number, attempt = 0): JsonValue {
  if ("scalar" in type) {
    if (type.scalar === "string") return texts[attempt % texts.length]?.(index) ?? ""
    return scalars[type.scalar](index, attempt)
  }
  if ("ref" in type) return structOf(type.ref(), index)
  if ("union" in type) return unionOf(type.union(), index, attempt)
  if ("map" in type) return { [entryKey]: valueOf(type.map, index, attempt) }
  return [valueOf("list" in type ? type.list : type.wrappedList, index, attempt)]
}

function unionOf({ fields }: TypeShape, index: number, attempt: number): JsonValue {
  const member = fields[attempt % fields.length]
  return member === undefined ? null : valueOf(member.type, index, attempt)
}

export const attemptsMax = texts.length

function structOf(shape: TypeShape, index: number): JsonObject {
  const object: JsonObject = {}
  for (const field of jsonFields(shape))
    if (field.required === true && !("ref" in field.type)) object[field.name] = valueOf(field.type, index)
  return object
}

/** Sets the value at a path and creates missing parents. `shape` is the object's shape. */
export function put(object: JsonObject, shape: TypeShape, path: FieldPath, value: JsonValue): void {
  let [at, type]: [JsonObject, TypeRef] = [object, { ref: () => shape }]
  for (const [depth, step] of path.entries()) {
    const here = typeBelow(type, step)
    if (here === undefined) return
    if (depth === path.length - 1) {
      at[nameOf(step)] = value
      return
    }
    const next = at[nameOf(step)] ?? ("ref" in here ? structOf(here.ref(), 0) : "map" in here ? {} : [])
    at[nameOf(step)] = next
    at = next as JsonObject // The path continues, so it is an object or a list, and lists are written by their index.
    type = here
  }
}

function nameOf(step: string): string {
  return step === "[]" ? "0" : step === "{}" ? entryKey : step
}

function typeBelow(type: TypeRef, step: string): TypeRef | undefined {
  if ("ref" in type) return jsonFields(type.ref()).find(({ name }) => name === step)?.type
  return itemOf(type)
}

/** The type at a path that a failure names, as steps. */
export function typeAt(shape: TypeShape, path: FieldPath): TypeRef | undefined {
  let type: TypeRef | undefined = { ref: () => shape }
  for (const step of path) type = type === undefined ? undefined : typeBelow(type, step)
  return type
}

/** `spec.ports[0].name`, `data[k]` as steps; undefined unless it is a path into an object made here. */
export function stepsOf(field: string, shape: TypeShape): FieldPath {
  const steps: string[] = []
  for (const part of field.match(/\[[^\]]*\]|[^.[\]]+/g) ?? []) {
    const type = typeAt(shape, steps)
    steps.push(part.startsWith("[") ? (type !== undefined && "map" in type ? "{}" : "[]") : part)
  }
  return steps
}
