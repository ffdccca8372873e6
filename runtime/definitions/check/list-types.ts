/** How lists and maps merge: list types with their keys, and map types. */
import type { Failures } from "../../base/failure.ts"
import type { SchemaProps } from "./schema-props.ts"

/** The rules in force; an update does not tighten a rule that the old definition breaks. */
export interface ListTypeRules {
  /** Items of a set must be atomic. */
  readonly atomicSetItems: boolean
  /** Keys of a map must be required or have a default; neither keys nor items may be nullable. */
  readonly definiteKeys: boolean
}

/** Checks the list and map type of one node. `prefix`: the vendor's `extensionPrefix`. */
export function checkListTypes(schema: SchemaProps, path: string, prefix: string, rules: ListTypeRules, failures: Failures): void {
  const { mapType, listType, listMapKeys = [] } = schema
  if (mapType !== undefined) {
    checkTypeIs("object", `${prefix}map-type`, schema, path, failures)
    checkSupported(`${path}.${prefix}map-type`, mapType, ["atomic", "granular"], failures)
  }
  if (listType !== undefined) {
    if (schema.type !== "array") checkTypeIs("array", `${prefix}list-type`, schema, path, failures)
    else if (rules.atomicSetItems) checkSetItems(schema, path, prefix, failures)
    checkSupported(`${path}.${prefix}list-type`, listType, ["atomic", "set", "map"], failures)
  }
  if (listMapKeys.length > 0 && listType !== "map") {
    const field = `${path}.${prefix}list-type`
    const detail = `must be map if ${prefix}list-map-keys is non-empty`
    if (listType === undefined) failures.add({ type: "Required", field, detail })
    else failures.add({ type: "Invalid", field, value: listType, detail })
  }
  if (listType === "map") checkListMap(schema, path, prefix, failures)
  if (rules.definiteKeys) checkDefiniteKeys(schema, path, prefix, failures)
}

function checkTypeIs(type: "object" | "array", extension: string, schema: SchemaProps, path: string, failures: Failures): void {
  if (schema.type === type) return
  const field = `${path}.type`
  const detail = `must be ${type} if ${extension} is specified`
  if (schema.type === "") failures.add({ type: "Required", field, detail })
  else failures.add({ type: "Invalid", field, value: schema.type, detail })
}

function checkSupported(field: string, value: string, supported: readonly string[], failures: Failures): void {
  if (!supported.includes(value)) failures.add({ type: "NotSupported", field, value, detail: "", supported })
}

/** The field of the items that makes them non-atomic in a set; undefined if they are atomic. */
function looseSetItems({ listType, items }: SchemaProps): "list-type" | "map-type" | undefined {
  const item = items?.schema
  if (listType !== "set" || item === undefined) return undefined
  if (item.type === "array" && item.listType !== undefined && item.listType !== "atomic") return "list-type"
  return item.type === "object" && item.mapType !== "atomic" ? "map-type" : undefined
}

/** Whether a list is a set with non-atomic items, which older servers accepted. */
export function hasLooseSetItems(schema: SchemaProps): boolean {
  return looseSetItems(schema) !== undefined
}

function checkSetItems(schema: SchemaProps, path: string, prefix: string, failures: Failures): void {
  const extension = looseSetItems(schema)
  if (extension === undefined) return
  const detail = `must be atomic as item of a list with ${prefix}list-type=set`
  // The reference shows the list type of the items in both cases, and this text if it is absent.
  const value = schema.items?.schema?.listType ?? "null"
  failures.add({ type: "Invalid", field: `${path}.items.${prefix}${extension}`, value, detail })
}

function checkListMap(schema: SchemaProps, path: string, prefix: string, failures: Failures): void {
  const { items, listMapKeys = [] } = schema
  const keysField = `${path}.${prefix}list-map-keys`
  if (listMapKeys.length === 0) {
    failures.add({ type: "Required", field: keysField, detail: `must not be empty if ${prefix}list-type is map` })
  }
  if (items === undefined) {
    failures.add({ type: "Required", field: `${path}.items`, detail: `must have a schema if ${prefix}list-type is map` })
    return
  }
  const item = items.schema
  if (item === undefined) {
    const detail = `must only have a single schema if ${prefix}list-type is map`
    failures.add({ type: "Invalid", field: `${path}.items`, value: schema.source.items, detail })
    return
  }
  if (item.type !== "object") {
    const detail = `must be object if parent array's ${prefix}list-type is map`
    failures.add({ type: "Invalid", field: `${path}.items.type`, value: item.type, detail })
    return
  }
  const seen = new Set<string>()
  for (const key of listMapKeys) {
    if (failures.full) return
    const property = item.properties?.get(key)
    const invalidKeys = (detail: string): void => failures.add({ type: "Invalid", field: keysField, value: [...listMapKeys], detail })
    if (property === undefined) invalidKeys("entries must all be names of item properties")
    else if (property.type === "array" || property.type === "object") {
      const detail = `must be a scalar type if parent array's ${prefix}list-type is map`
      failures.add({ type: "Invalid", field: `${path}.items.properties[${key}].type`, value: item.type, detail })
    }
    if (seen.has(key)) invalidKeys("must not contain duplicate entries")
    seen.add(key)
  }
}

interface Indefinite {
  readonly key?: string
  readonly what: "nullable item" | "no default" | "nullable key"
}

function indefiniteKeys({ listType, listMapKeys = [], items }: SchemaProps): Indefinite[] {
  const item = items?.schema
  if (item === undefined || (listType !== "set" && listType !== "map")) return []
  const found: Indefinite[] = item.nullable ? [{ what: "nullable item" }] : []
  if (listType === "set") return found
  const required = new Set(item.required)
  for (const key of listMapKeys) {
    const property = item.properties?.get(key)
    if (property === undefined) continue
    if (!required.has(key) && property.default === undefined) found.push({ key, what: "no default" })
    if (property.nullable) found.push({ key, what: "nullable key" })
  }
  return found
}

/** Whether a set or map may have items without identity, which older servers accepted. */
export function hasIndefiniteKeys(schema: SchemaProps): boolean {
  return indefiniteKeys(schema).length > 0
}

function checkDefiniteKeys(schema: SchemaProps, path: string, prefix: string, failures: Failures): void {
  const key = `this property is in ${prefix}list-map-keys, so it`
  for (const { key: name = "", what } of indefiniteKeys(schema)) {
    const field = `${path}.items.properties[${name}]`
    if (what === "nullable item") {
      const detail = `cannot be nullable when ${prefix}list-type is ${schema.listType}`
      failures.add({ type: "Forbidden", field: `${path}.items.nullable`, detail })
    } else if (what === "no default") {
      failures.add({ type: "Required", field: `${field}.default`, detail: `${key} must have a default or be a required property` })
    } else failures.add({ type: "Forbidden", field: `${field}.nullable`, detail: `${key} cannot be nullable` })
  }
}
