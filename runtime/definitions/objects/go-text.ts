/**
 * Values as the reference writes them in messages: numbers as Go's `%v`, lists and objects in the syntax of Go. Clients
 * match on whole messages.
 */
import { shownValueCharactersMax } from "../../base/limits.ts"
import { isObject, type JsonValue } from "../../base/json.ts"
import { quoted } from "../../base/quote.ts"

/** A number as Go's `%v` writes it: `1e+21`, `1e-05`, `0.5`. An integer has all its digits. */
export function numberText(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return String(value)
  const text = String(value)
  const [mantissa = "", exponent] = text.split("e")
  if (exponent !== undefined) {
    const digits = exponent.replace(/^[-+]/, "").padStart(2, "0")
    return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`
  }
  const magnitude = Math.abs(value)
  if (magnitude >= 1e-4 || value === 0) return text
  // JavaScript writes exponents from 1e-7 on, Go from 1e-5.
  const [digits = "", power = "0"] = value.toExponential().split("e")
  return `${digits}e-${power.replace("-", "").padStart(2, "0")}`
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

/** Appends a part; false: no more is shown. */
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
  for (const name of Object.keys(object).sort()) {
    const value = object[name]
    if (value === undefined) continue
    write(separator)
    separator = ", "
    write(`${quoted(name.slice(0, shownValueCharactersMax + 1))}:`)
    if (!writeGo(value, write)) return false
  }
  return write("}")
}

/** What a failure shows instead of the value, if that is a list, an object or a number; undefined for others. */
export function shownText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "object" && value !== null) return goText(value)
  return typeof value === "number" || typeof value === "bigint" ? numberText(value) : undefined
}

/** `Invalid value: map[string]interface {}{"a":1}` */
export function invalidText(value: JsonValue): string {
  return `Invalid value: ${typeof value === "string" ? quoted(value) : value === null ? '"null"' : (shownText(value) ?? String(value))}`
}
