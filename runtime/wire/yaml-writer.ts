/**
 * Writes JSON data as YAML: fields sorted, lists not indented, as in the reference. Quoting and the layout of
 * multi-line strings follow the `yaml` package, which earlier versions used; a property test compares the two. Writing
 * directly costs a thirtieth of building the package's tree of nodes.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"
import { hasMeaning } from "../encoding/yaml/resolve.ts"

/** Longer keys are on a line of their own, after a question mark. */
const implicitKeyMax = 1024
/** Quoted strings of at least this length are broken at their line feeds. */
const brokenQuoteMin = 40
const step = "  "

/** The YAML text of an object or another value. Omits `undefined` fields. */
export function writeYaml(value: JsonValue): string {
  return `${isContainer(value) ? container(value, "") : scalar(value, "")}\n`
}

/** `writeYaml` of an object in steps of about `stageValues` values. Called for large objects. */
export function* writingYaml(value: JsonObject, stageValues = 1000): Stages<string> {
  const sizes = new Map<Container, number>()
  countValues(value, sizes)
  yield
  return `${yield* writing(value, "", { sizes, stageValues })}\n`
}

interface LargeDocument {
  /** The number of values in each container. */
  readonly sizes: ReadonlyMap<Container, number>
  readonly stageValues: number
}

/** `container` in steps. */
function* writing(value: Container, indent: string, document: LargeDocument): Stages<string> {
  const { sizes, stageValues } = document
  if ((sizes.get(value) ?? 0) <= stageValues) return container(value, indent)
  const texts: string[] = []
  let written = 0
  if (isList(value))
    for (const item of value) {
      texts.push(`- ${isContainer(item) ? yield* writing(item, indent + step, document) : scalar(item, indent + step)}`)
      written += isContainer(item) ? (sizes.get(item) ?? 0) : 1
      if (written < stageValues) continue
      written = 0
      yield
    }
  else
    for (const name of Object.keys(value).sort()) {
      const field = value[name]
      if (field === undefined) continue
      const key = keyOf(name, indent)
      const text = isContainer(field) ? yield* writing(field, valueIndent(field, key, indent), document) : scalar(field, indent + step)
      texts.push(joined(key, { value: field, text }, indent))
      written += isContainer(field) ? (sizes.get(field) ?? 0) : 1
      if (written < stageValues) continue
      written = 0
      yield
    }
  yield
  return texts.join(`\n${indent}`)
}

/**
 * Counts the written values of a container, including itself, and records the counts of all containers within it in
 * `sizes`.
 */
function countValues(value: Container, sizes: Map<Container, number>): number {
  let values = 1
  for (const child of isList(value) ? value : Object.values(value))
    if (child !== undefined) values += isContainer(child) ? countValues(child, sizes) : 1
  sizes.set(value, values)
  return values
}

type Container = JsonObject | readonly JsonValue[]

function isList(value: Container): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isContainer(value: JsonValue): value is JsonObject | JsonValue[] {
  return typeof value === "object" && value !== null
}

/** A list or an object with this indentation; its first line continues the caller's. */
function container(value: Container, indent: string): string {
  return Array.isArray(value) ? list(value, indent) : isObject(value) ? object(value, indent) : ""
}

function list(items: readonly JsonValue[], indent: string): string {
  if (items.length === 0) return "[]"
  const inner = indent + step
  let text = ""
  for (const item of items) {
    if (text !== "") text += `\n${indent}`
    text += `- ${isContainer(item) ? container(item, inner) : scalar(item, inner)}`
  }
  return text
}

function object(value: JsonObject, indent: string): string {
  let text = ""
  for (const name of Object.keys(value).sort()) {
    const field = value[name]
    if (field === undefined) continue
    if (text !== "") text += `\n${indent}`
    text += pair(name, field, indent)
  }
  return text === "" ? "{}" : text
}

function pair(name: string, value: JsonValue, indent: string): string {
  const key = keyOf(name, indent)
  const text = isContainer(value) ? container(value, valueIndent(value, key, indent)) : scalar(value, indent + step)
  return joined(key, { value, text }, indent)
}

function keyOf(name: string, indent: string): string {
  return isPlainWord(name) ? name : keyText(name, indent + step)
}

/** The indentation of a value after a key; the dash of an item counts as indentation. */
function valueIndent(value: Container, key: string, indent: string): string {
  return key.length <= implicitKeyMax && Array.isArray(value) ? indent : indent + step
}

function joined(key: string, { value, text }: { value: JsonValue; text: string }, indent: string): string {
  if (key.length > implicitKeyMax) return `? ${key}\n${indent}: ${text}`
  return isContainer(value) && !isEmpty(text) ? `${key}:\n${valueIndent(value, key, indent)}${text}` : `${key}: ${text}`
}

function isEmpty(text: string): boolean {
  return text === "[]" || text === "{}"
}

function scalar(value: JsonValue, indent: string): string {
  if (typeof value === "string") return isPlainWord(value) ? value : valueText(value, indent)
  return Object.is(value, -0) ? "-0" : String(value)
}

/** Matches most strings: plain in any context, and not beginning like a number or a word with a meaning. */
const plainWord = /^[A-Za-z/_](?:[\w./@+=:()-]*[\w./@+=()-])?$/

function isPlainWord(text: string): boolean {
  return plainWord.test(text) && !(text.length <= longestWord && hasMeaning(text))
}

/** The length of `false`. */
const longestWord = 5

/** True when this reader or another reader of YAML 1.1 or 1.2 would read the unquoted string as something else. */
function needsQuotes(text: string): boolean {
  if (/^\d{4}-\d/.test(text) || /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+/.test(text) || text === "<<" || text === "=") return true
  return hasMeaning(text) || unprintable.test(text) || coreNumber.test(text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these cannot stand in a plain text
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\u{D800}-\u{DFFF}]/u
/**
 * Unprintable characters that JSON leaves as they are. To a reader of YAML 1.1 three are line breaks, others are
 * forbidden.
 */
const rawInJson = /[\x7f-\x9f\u2028\u2029\ufeff]/g
/** Texts that a reader of YAML 1.2 reads as a number. */
const coreNumber = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/
/** Begins with an indicator, or contains characters that would end a plain scalar or begin a comment. */
const notPlain = /^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/
/** A line that looks like the start or end of a document, or a directive. */
const documentMarker = /^(?:%|---|\.\.\.)/m

function keyText(name: string, indent: string): string {
  if (needsQuotes(name)) return doubleQuoted(name, indent, true)
  if (name.includes("\n") || notPlain.test(name) || (indent === step && documentMarker.test(name))) return quoted(name, indent, true)
  return name
}

function valueText(text: string, indent: string): string {
  if (needsQuotes(text)) return doubleQuoted(text, indent, false)
  if (text.includes("\n")) return block(text, indent)
  if (notPlain.test(text)) return quoted(text, indent, false)
  return indent === "" && documentMarker.test(text) ? block(text, indent) : text
}

function quoted(text: string, indent: string, isKey: boolean): string {
  if (!text.includes('"') || text.includes("'")) return doubleQuoted(text, indent, isKey)
  if ((isKey && text.includes("\n")) || /[ \t]\n|\n[ \t]/.test(text)) return doubleQuoted(text, indent, isKey)
  const inner = indentOf(text, indent)
  return `'${text.replace(/\n+/g, `$&\n${inner}`)}'`
}

/** A top-level string is indented when one of its lines could be read as the end of the document. */
function indentOf(text: string, indent: string): string {
  return indent === "" && documentMarker.test(text) ? step : indent
}

/** In double quotes: as JSON, with the short escapes of YAML; values are broken at line feeds. */
function doubleQuoted(text: string, indent: string, isKey: boolean): string {
  const plainJson = JSON.stringify(text)
  const json = plainJson.replace(rawInJson, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
  let at = json.indexOf("\\")
  if (at < 0) return json
  const inner = indentOf(text, indent)
  const breaks = !isKey && plainJson.length >= brokenQuoteMin
  let written = ""
  let start = 0
  for (; at >= 0; at = json.indexOf("\\", at)) {
    const letter = json[at + 1]
    if (letter === "n" && json[at - 1] === " " && at - 1 >= start) {
      // A blank before a line feed would be folded away with it.
      written += `${json.slice(start, at - 1)}\\ `
      start = at
    }
    if (letter === "u") {
      written += json.slice(start, at) + shortEscape(json.slice(at + 2, at + 6))
      at += 6
      start = at
    } else if (letter === "n" && breaks && json[at + 2] !== '"') {
      written += `${json.slice(start, at)}\n\n`
      for (; json[at + 2] === "\\" && json[at + 3] === "n" && json[at + 4] !== '"'; at += 2) written += "\n"
      written += inner
      if (json[at + 2] === " ") written += "\\"
      at += 2
      start = at
    } else at += 2
  }
  return written + json.slice(start)
}

const shortEscapes: Readonly<Record<string, string>> = {
  "0000": "\\0",
  "0007": "\\a",
  "000b": "\\v",
  "001b": "\\e",
  "0085": "\\N",
  "2028": "\\L",
  "2029": "\\P",
}

/** The YAML form of a four-digit escape of `JSON.stringify`, which writes control characters and lone surrogates so. */
function shortEscape(digits: string): string {
  return shortEscapes[digits] ?? (digits.startsWith("00") ? `\\x${digits.slice(2)}` : `\\u${digits}`)
}

/** Line feeds before the last run of them. */
const innerLineFeeds = /(?:^|(?<!\n))\n+(?!\n|$)/g

/** A literal block after a bar, line by line. */
function block(text: string, indent: string): string {
  if (/\n[\t ]+$/.test(text)) return quoted(text, indent, false)
  const inner = indentOf(text, indent)
  const [start, body, end] = blockParts(text)
  const feed = `$&${inner}`
  const size = start.includes(" ") || body.startsWith(" ") ? (inner === "" ? "1" : "2") : ""
  const tail = (end.endsWith("\n") ? end.slice(0, -1) : end).replace(innerLineFeeds, feed)
  const lines = start.replace(/\n+/g, feed) + body.replace(/\n+/g, feed) + tail
  return `|${size}${chomping(text, end)}\n${inner}${lines}`
}

/** Splits a string into leading empty or blank lines, text, and trailing white space. */
function blockParts(text: string): [start: string, body: string, end: string] {
  let endStart = text.length
  while (endStart > 0 && isWhite(text.charCodeAt(endStart - 1))) endStart--
  const body = text.slice(0, endStart)
  let lineStart = 0
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at)
    if (code === 0x0a) lineStart = at + 1
    else if (code !== 0x20) break
  }
  return [body.slice(0, lineStart), body.slice(lineStart), text.slice(endStart)]
}

function isWhite(code: number): boolean {
  return code === 0x0a || code === 0x09 || code === 0x20
}

/** The chomping indicator: how many of the trailing line feeds count: none, one, or all. */
function chomping(text: string, end: string): "-" | "+" | "" {
  const feed = end.indexOf("\n")
  if (feed < 0) return "-"
  return text === end || feed !== end.length - 1 ? "+" : ""
}
