/**
 * One step of a field path in its written form: `f:<name>`, `k:<key fields of a list item>`, `v:<value of a set item>`,
 * `i:<index>`. The text after `k:` and `v:` is canonical JSON, so equal elements are equal texts and a set can be
 * searched by text.
 */
import { compareBytes, sortByBytes } from "../../base/byte-order.ts"
import { badRequest } from "../../base/errors.ts"
import { shortJson } from "../../base/bounded-text.ts"
import { JsonSyntaxError, parseJson } from "../../encoding/json/text.ts"
import { isObject } from "../../base/json.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { quoted } from "../../base/quote.ts"
import { fieldElementsMax, messageCharactersMax } from "../../base/limits.ts"

/** In a node, marks the path to the node as a member. */
export const selfKey = "."

const knownElements = new Map<string, string>()
const knownNameCharactersMax = 64

/**
 * Returns the element of a field or map entry. Cached, because every walk calls it for each field, most names recur,
 * and concatenating strings is not free.
 */
export function fieldElement(name: string): string {
  const known = knownElements.get(name)
  if (known !== undefined) return known
  const element = `f:${name}`
  if (name.length > knownNameCharactersMax) return element
  if (knownElements.size >= fieldElementsMax) knownElements.clear()
  knownElements.set(name, element)
  return element
}

/** Characters that every canonical text writes unescaped. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/
/**
 * Characters that Go escapes and JSON.stringify does not. A backslash matches with the next character, so that no match
 * begins in the middle of an escape.
 */
const goEscapes = /[<>&\u2028\u2029]|\\./g

/**
 * Called for every key field and set item of an element. Like Go's encoder, it escapes characters that are special in
 * HTML.
 */
export function canonicalText(value: JsonValue): string {
  if (typeof value === "string") return canonicalString(value)
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const parts: string[] = []
  for (const name of sortByBytes(Object.keys(value))) {
    const field = value[name]
    if (field !== undefined) parts.push(`${canonicalString(name)}:${canonicalText(field)}`)
  }
  return `{${parts.join(",")}}`
}

function canonicalString(text: string): string {
  if (plainText.test(text)) return `"${text}"`
  return JSON.stringify(text).replace(goEscapes, (escaped) => {
    if (escaped.length === 1) return `\\u${escaped.charCodeAt(0).toString(16).padStart(4, "0")}`
    return escaped === "\\b" ? "\\u0008" : escaped === "\\f" ? "\\u000c" : escaped
  })
}

/**
 * Returns the canonical form of an element that a client sent. Undefined for an element of a kind that this version
 * does not know, which the reference drops. Throws ApiError 400 for an invalid element.
 */
export function canonicalElement(element: string): string | undefined {
  if (element.charAt(1) !== ":") throw malformed(element, "it must begin with f:, k:, v: or i:")
  const content = element.slice(2)
  switch (element.charAt(0)) {
    case "f":
      return element
    case "k":
      return `k:${canonicalText(keyFields(element, content))}`
    case "v":
      return `v:${canonicalText(contentOf(element, content))}`
    case "i":
      if (!/^[-+]?[0-9]{1,15}$/.test(content)) throw malformed(element, "i: must be followed by a whole number")
      return `i:${Number(content)}`
    default:
      return undefined
  }
}

function keyFields(element: string, content: string): JsonObject {
  const value = contentOf(element, content)
  if (!isObject(value)) throw malformed(element, "k: must be followed by a JSON object of the key fields")
  return value
}

function contentOf(element: string, content: string): JsonValue {
  try {
    return parseJson(content).value
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(element, `its value is no JSON: ${error.message}`)
    throw error
  }
}

function malformed(element: string, why: string): Error {
  return badRequest(`fieldsV1: path element ${shortJson(element, messageCharactersMax)} is malformed: ${why}`)
}

/** An element as conflict messages show it: `.name`, `[port=80,protocol="TCP"]`, `[="x"]`, `[0]`. */
export function elementText(element: string): string {
  const content = element.slice(2)
  switch (element.charAt(0)) {
    case "f":
      return `.${content}`
    case "k": {
      const fields = keyFields(element, content)
      return `[${Object.keys(fields)
        .map((name) => `${name}=${valueText(fields[name] ?? null)}`)
        .join(",")}]`
    }
    case "v":
      return `[=${valueText(contentOf(element, content))}]`
    default:
      return `[${content}]`
  }
}

/**
 * `elementText` for messages. Long elements, whose values come from a client, are shown as they are written and cut.
 */
export function shortElementText(element: string): string {
  if (element.length <= messageCharactersMax) return elementText(element)
  const content = `${element.slice(2, messageCharactersMax)}...`
  return element.startsWith("f:") ? `.${content}` : `[${content}]`
}

function valueText(value: JsonValue): string {
  if (typeof value === "string") return quoted(value)
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`
  if (!isObject(value)) return String(value)
  return Object.keys(value)
    .map((name) => `${name}=${valueText(value[name] ?? null)}`)
    .join("")
}

/** Sorts the keys of a node as the reference writes them: `.`, fields by bytes, keys and values by value, indices. */
export function sortElements(elements: string[]): string[] {
  if (elements.length < 2) return elements
  if (elements.every(isOrderedByText)) return sortByBytes(elements)
  // A list that is a member itself precedes its items.
  const self = elements.indexOf(selfKey)
  if (self >= 0) return [selfKey, ...sortElements(elements.toSpliced(self, 1))]
  const prefix = commonPrefix(elements)
  if (prefix !== undefined) return sortByName(elements, prefix.length)
  return elements
    .map((element) => ({ element, order: orderOf(element) }))
    .sort((left, right) => compareOrders(left.order, right.order))
    .map(({ element }) => element)
}

function isOrderedByText(element: string): boolean {
  return element === selfKey || element.startsWith("f:")
}

/**
 * Matches `k:{"name":"` when all elements have a single key, a string that needs no escapes, as in most keyed lists.
 */
const oneTextKey = /^k:\{"[\w-]*":"(?=[^"\\\ud800-\udfff]*"\}$)/

function commonPrefix(elements: readonly string[]): string | undefined {
  const prefix = oneTextKey.exec(elements[0] ?? "")?.[0]
  return prefix !== undefined && elements.every((element) => oneTextKey.exec(element)?.[0] === prefix) ? prefix : undefined
}

/** The names end with the two characters `"}`, which sort after the space. */
function sortByName(elements: string[], from: number): string[] {
  const names = elements.map((element) => element.slice(from, -2)).sort()
  const prefix = elements[0]?.slice(0, from) ?? ""
  return names.map((name) => `${prefix}${name}"}`)
}

/** Kind of element first, then its names and values. */
type Order = readonly [kind: number, ...values: JsonValue[]]

function orderOf(element: string): Order {
  if (element === selfKey) return [0]
  const content = element.slice(2)
  switch (element.charAt(0)) {
    case "f":
      return [1, content]
    case "k": {
      const fields = keyFields(element, content)
      return [2, ...Object.keys(fields).flatMap((name) => [name, fields[name] ?? null])]
    }
    case "v":
      return [3, contentOf(element, content)]
    default:
      return [4, Number(content)]
  }
}

function compareOrders(left: Order, right: Order): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const order = compareValues(left[index] ?? null, right[index] ?? null)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/**
 * Compares by kind of value first: numbers, strings, booleans; strings by their bytes. Called for key fields and items
 * of sets.
 */
export function compareValues(left: JsonValue, right: JsonValue): number {
  const rank = rankOf(left) - rankOf(right)
  if (rank !== 0) return rank
  if (typeof left === "string" && typeof right === "string") return compareBytes(left, right)
  if (typeof left === "object" || typeof right === "object") return compareBytes(canonicalText(left), canonicalText(right))
  return left < right ? -1 : left > right ? 1 : 0
}

function rankOf(value: JsonValue): number {
  if (typeof value === "number" || typeof value === "bigint") return 0
  if (typeof value === "string") return 1
  if (typeof value === "boolean") return 2
  if (value === null) return 5
  return Array.isArray(value) ? 3 : 4
}
