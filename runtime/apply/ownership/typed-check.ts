/** Does an object fit its type, as far as ownership needs to know? */
import { isObject } from "../../kit/json.ts"
import type { JsonObject, JsonValue } from "../../kit/json.ts"
import type { TypeShape } from "../../kit/shape.ts"
import { elementText } from "./field-set-element.ts"
import { elementOf, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { ListForm, MapForm, ScalarForm, TypedNode } from "./typed-node.ts"

/** What is wrong, and where: `.spec.ports[port=80,protocol="TCP"].name`; the path of the object itself is empty. */
export interface TypedFault {
  readonly path: string
  readonly detail: string
}

export interface TypedCheckOptions {
  /** Whether sets and keyed lists may hold an item twice: `allow` for live objects, which others wrote, `refuse` for configurations. */
  readonly duplicates: "allow" | "refuse"
}

/** All faults, in the order of the document. Called before an object is merged or compared for an apply; none means that both will succeed. */
export function typedFaults(shape: TypeShape, object: JsonObject, options: TypedCheckOptions): TypedFault[] {
  const faults: TypedFault[] = []
  check(rootNode(shape), object, { faults, duplicates: options.duplicates === "allow" }, "")
  return faults
}

interface Check {
  readonly faults: TypedFault[]
  readonly duplicates: boolean
}

function check(node: TypedNode, value: JsonValue, to: Check, path: string): void {
  if (value === null) return
  if (Array.isArray(value)) {
    if (node.list !== undefined) return checkItems(node.list, value, to, path)
  } else if (isObject(value)) {
    if (node.map !== undefined) return checkFields(node.map, value, to, path)
  } else if (node.scalar === "any" || node.scalar === scalarOf(value)) return
  to.faults.push({ path, detail: `must be ${expected(node)}, not ${found(value)}` })
}

function scalarOf(value: string | number | bigint | boolean): ScalarForm {
  if (typeof value === "string") return "string"
  return typeof value === "boolean" ? "boolean" : "number"
}

const scalarTexts: Readonly<Record<ScalarForm, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  any: "a string, a number, true or false",
}

function expected(node: TypedNode): string {
  if (node.map !== undefined) return "an object"
  if (node.list !== undefined) return "a list"
  return scalarTexts[node.scalar ?? "any"]
}

function found(value: JsonValue): string {
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : scalarTexts[scalarOf(value)]
}

function checkFields(map: MapForm, object: JsonObject, to: Check, path: string): void {
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const type = typeAt(map, name)
    if (type === undefined) to.faults.push({ path: `${path}.${name}`, detail: "field not declared in schema" })
    else check(type, value, to, `${path}.${name}`)
  }
}

function checkItems(list: ListForm, items: readonly JsonValue[], to: Check, path: string): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (list.type === "atomic") {
      check(list.item(), item, to, `${path}[${index}]`)
      continue
    }
    const element = elementOf(list, item)
    if (element === undefined) {
      to.faults.push({ path: `${path}[${index}]`, detail: withoutElement(list, item) })
      continue
    }
    if (seen.has(element) && !to.duplicates) to.faults.push({ path, detail: `duplicate entries for key ${elementText(element)}` })
    seen.add(element)
    if (list.type === "map") check(list.item(), item, to, path + elementText(element))
  }
}

function withoutElement(list: ListForm, item: JsonValue): string {
  if (list.type === "set") return `a set holds plain values only, not ${item === null ? "null" : found(item)}`
  if (!isObject(item)) return `must be an object with its key fields, not ${item === null ? "null" : found(item)}`
  const missing = list.keys().filter((key) => valueAt(item, key.name) === undefined && key.default === undefined)
  return `must have the key ${missing.length === 1 ? "field" : "fields"} ${missing.map((key) => JSON.stringify(key.name)).join(" and ")}`
}
