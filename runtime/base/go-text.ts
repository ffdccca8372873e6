/**
 * Values as the reference writes them in messages: numbers as Go's `%v`, lists and objects in the syntax of Go. Clients
 * match on whole messages.
 */
import { sortByBytes } from "./byte-order.ts"
import { shownValueCharactersMax } from "./limits.ts"
import { isObject, type JsonValue } from "./json.ts"
import { quoted } from "./quote.ts"

/** A number as Go's `%v` writes it: an integer with all its digits, others as `floatText` does. */
export function numberText(value: number | bigint): string {
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : floatText(value)
}

/** Exponents from here on are written. */
const floatExponentMax = 6

/** A float64 as Go's `%v` writes it: `2`, `0.5`, `1e+06`, `1e-05`. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const [mantissa = "", power = "0"] = value.toExponential().split("e")
  const exponent = Number(power)
  if (exponent >= -4 && exponent < floatExponentMax) return String(value)
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

/**
 * A list or an object as Go's `%#v` writes it: `map[string]interface {}{"name":"a"}`. Fields are sorted. Cut after
 * `shownValueCharactersMax` characters.
 */
export function goText(value: JsonValue): string {
  const parts: string[] = []
  let characters = 0
  const write = (part: string): boolean => {
    parts.push(part)
    characters += part.length
    return characters <= shownValueCharactersMax
  }
  writeGo(value, write)
  const text = parts.join("")
  return text.length > shownValueCharactersMax ? `${text.slice(0, shownValueCharactersMax)}...` : text
}

/** Appends a part; returns false when no more is to be shown. */
type Write = (part: string) => boolean

function writeGo(value: JsonValue, write: Write): boolean {
  if (Array.isArray(value)) return writeList(value, write)
  if (isObject(value)) return writeFields(value, write)
  if (typeof value === "string") return write(quoted(value.slice(0, shownValueCharactersMax + 1)))
  if (value === null) return write("interface {}(nil)")
  return write(typeof value === "boolean" ? String(value) : numberText(value))
}

function writeList(list: readonly JsonValue[], write: Write): boolean {
  write("[]interface {}{")
  for (const [index, item] of list.entries()) {
    if (index > 0) write(", ")
    if (!writeGo(item, write)) return false
  }
  return write("}")
}

function writeFields(object: { readonly [name: string]: JsonValue | undefined }, write: Write): boolean {
  write("map[string]interface {}{")
  let separator = ""
  for (const name of sortByBytes(Object.keys(object))) {
    const value = object[name]
    if (value === undefined) continue
    write(separator)
    separator = ", "
    write(`${quoted(name.slice(0, shownValueCharactersMax + 1))}:`)
    if (!writeGo(value, write)) return false
  }
  return write("}")
}

/** Returns the text that a failure shows for a list, an object or a number; undefined for other values. */
export function shownText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "object" && value !== null) return goText(value)
  return typeof value === "number" || typeof value === "bigint" ? numberText(value) : undefined
}

/** `Invalid value: map[string]interface {}{"a":1}` */
export function invalidText(value: JsonValue): string {
  return `Invalid value: ${typeof value === "string" ? quoted(value) : value === null ? '"null"' : (shownText(value) ?? String(value))}`
}

/** A value as Go's `%v` writes it: `map[a:1 b:[x y]]`. Cut after some `shownValueCharactersMax` characters. */
export function goPlain(value: JsonValue): string {
  if (value === null) return "<nil>"
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "bigint") return numberText(value)
  if (typeof value === "boolean") return String(value)
  const parts: string[] = []
  let characters = 0
  const add = (part: string): boolean => {
    parts.push(part)
    characters += part.length
    return characters <= shownValueCharactersMax
  }
  if (Array.isArray(value)) {
    for (const item of value) if (!add(goPlain(item))) break
    return `[${parts.join(" ")}]`
  }
  for (const name of sortByBytes(Object.keys(value))) {
    const field = value[name]
    if (field !== undefined && !add(`${name}:${goPlain(field)}`)) break
  }
  return `map[${parts.join(" ")}]`
}

/** The type of a decoded value as Go's `%T` names it. */
export function goType(value: JsonValue): string {
  if (value === null) return "<nil>"
  if (Array.isArray(value)) return "[]interface {}"
  switch (typeof value) {
    case "string":
      return "string"
    case "boolean":
      return "bool"
    case "number":
      return Number.isSafeInteger(value) ? "int64" : "float64"
    case "bigint":
      return "int64"
    default:
      return "map[string]interface {}"
  }
}

const htmlCharacters = /[<>&\u2028\u2029]/g

/** A list or an object as Go's encoding/json writes it: fields sorted, `<`, `>` and `&` escaped. */
export function goJson(value: JsonValue): string {
  if (typeof value === "string") return textJson(value)
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = sortByBytes(Object.keys(value)).flatMap((name) => {
    const field = value[name]
    return field === undefined ? [] : [`${textJson(name)}:${goJson(field)}`]
  })
  return `{${fields.join(",")}}`
}

function textJson(text: string): string {
  return JSON.stringify(text).replace(htmlCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
