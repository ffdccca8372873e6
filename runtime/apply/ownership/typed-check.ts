/** Checks that an object fits its type, as far as field ownership requires. */
import { isObject } from "../../base/json.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { strictErrorsMax } from "../../base/limits.ts"
import { shortElementText } from "./field-set-element.ts"
import { pathText } from "./field-set.ts"
import { elementOf, keyValue, rootNode, typeAt } from "./typed-node.ts"
import type { ListForm, MapForm, ScalarForm, TypedNode } from "./typed-node.ts"

/** A fault and its path: `.spec.ports[port=80,protocol="TCP"].name`; the path of the object itself is empty. */
export interface TypedFault {
  readonly path: string
  readonly detail: string
}

export interface TypedCheckOptions {
  /**
   * Whether sets and keyed lists may hold duplicates: `allow` for live objects, which other clients wrote, `refuse` for
   * configurations.
   */
  readonly duplicates: "allow" | "refuse"
}

/**
 * Returns the errors in the order of the document, at most `strictErrorsMax`. Called before an object is merged or
 * compared for an apply; both succeed when there is no error.
 */
export function typedFaults(shape: TypeShape, object: JsonObject, options: TypedCheckOptions): TypedFault[] {
  const to: Check = { faults: [], duplicates: options.duplicates === "allow" }
  check(rootNode(shape), object, to, undefined)
  return to.faults
}

interface Check {
  readonly faults: TypedFault[]
  readonly duplicates: boolean
}

/** The path of a value. Its text is built only for an error. */
interface ValuePath {
  readonly parent: ValuePath | undefined
  readonly element: string
}

function fault(to: Check, place: ValuePath | undefined, detail: string): void {
  if (to.faults.length === strictErrorsMax) return
  const elements: string[] = []
  for (let at = place; at !== undefined; at = at.parent) elements.push(at.element)
  to.faults.push({ path: pathText(elements.reverse()), detail })
}

function check(node: TypedNode, value: JsonValue, to: Check, place: ValuePath | undefined): void {
  if (value === null) return
  if (Array.isArray(value)) {
    if (node.list !== undefined) return checkItems(node.list, value, to, place)
  } else if (isObject(value)) {
    if (node.map !== undefined) return checkFields(node.map, value, to, place)
  } else if (node.scalar === "any" || node.scalar === scalarOf(value)) return
  fault(to, place, `expected ${expected(node)}, got ${found(value)}`)
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

/** The reference's words. */
const expectedTexts: Readonly<Record<ScalarForm, string>> = {
  string: "string",
  number: "numeric (int or float)",
  boolean: "boolean",
  any: "any scalar",
}

function expected(node: TypedNode): string {
  if (node.map !== undefined) return "map"
  if (node.list !== undefined) return "list"
  return expectedTexts[node.scalar ?? "any"]
}

function found(value: JsonValue): string {
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : scalarTexts[scalarOf(value)]
}

function checkFields(map: MapForm, object: JsonObject, to: Check, parent: ValuePath | undefined): void {
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const type = typeAt(map, name)
    const place = { parent, element: `f:${name}` }
    if (type === undefined) fault(to, place, "field not declared in schema")
    else check(type, value, to, place)
  }
}

function checkItems(list: ListForm, items: readonly JsonValue[], to: Check, parent: ValuePath | undefined): void {
  const type = list.item()
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const element = list.type === "atomic" ? `i:${index}` : elementOf(list, item)
    if (element === undefined) {
      fault(to, parent, `element ${index}: ${withoutElement(list, item)}`)
      continue
    }
    if (seen.has(element) && !to.duplicates) fault(to, parent, `duplicate entries for key ${shortElementText(element)}`)
    seen.add(element)
    check(type, item, to, { parent, element })
  }
}

/** The reference's words; it calls sets associative lists without keys. */
function withoutElement(list: ListForm, item: JsonValue): string {
  if (list.type === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null"
    if (Array.isArray(item)) return "not supported: associative list with lists as elements"
    return "associative list without keys has an element that's a map type"
  }
  if (item === null) return "associative list with keys may not have a null element"
  if (!isObject(item)) return "associative list with keys may not have non-map elements"
  const missing = list.keys().find((key) => keyValue(item, key) === undefined)
  const field = JSON.stringify(missing?.name ?? "")
  return `associative list with keys has an element that omits key field ${field} (and doesn't have default value)`
}
