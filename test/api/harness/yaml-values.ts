/** Scenario files as plain values, with the tags of matchers and of generated texts resolved. */
import { isAlias, isMap, isScalar, isSeq, type Node, parse, parseDocument } from "yaml"
import { matcherOf } from "./matchers.ts"

/** Called once per file. Throws an Error that names the place. */
export function readValues(text: string, fileName: string): unknown {
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: true })
  const [fault] = document.errors
  if (fault !== undefined) throw new Error(`${fileName}: ${fault.message}`)
  return valueOf(document.contents, fileName)
}

function valueOf(node: Node | null | undefined, fileName: string): unknown {
  if (node === null || node === undefined) return null
  if (isAlias(node)) throw new Error(`${fileName}: scenarios have no aliases; say it again`)
  const { tag } = node as { tag?: string } // Every node but an alias may carry one.
  if (tag === undefined || !/^![a-z]/.test(tag)) return plainValue(node, fileName)
  // The value behind a tag was read as a text; only a pattern is one.
  const plain = isScalar(node) && node.type === "PLAIN" && tag !== "!match" ? parse(String(node.value)) : plainValue(node, fileName)
  try {
    const made = makers[tag]
    return made === undefined ? matcherOf(tag, plain) : made(plain)
  } catch (error) {
    throw new Error(`${fileName}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function plainValue(node: Node, fileName: string): unknown {
  if (isSeq<Node>(node)) return node.items.map((item) => valueOf(item, fileName))
  if (isMap<Node, Node>(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), valueOf(value, fileName)]))
  if (!isScalar(node)) throw new Error(`${fileName}: a value that scenarios do not know`)
  const { value } = node
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null ? value : String(value)
}

/** `!copies [value, times]`: a list. */
function copies(content: unknown): unknown[] {
  const [value, times] = Array.isArray(content) ? content : []
  if (typeof times !== "number") throw new Error("!copies takes [value, times]")
  return Array.from({ length: times }, () => value as unknown)
}

/** `!entries [key, value, times]`: a map whose keys are numbered. */
function entries(content: unknown): Record<string, unknown> {
  const [key, value, times] = Array.isArray(content) ? content : []
  if (typeof key !== "string" || typeof times !== "number") throw new Error("!entries takes [key, value, times]")
  return Object.fromEntries(Array.from({ length: times }, (_none, index) => [`${key}${index}`, value as unknown]))
}

/** `!repeat [text, times]` */
function repeated(content: unknown): string {
  const [text, times] = Array.isArray(content) ? content : []
  if (typeof text !== "string" || typeof times !== "number") throw new Error("!repeat takes [text, times]")
  return text.repeat(times)
}

/** `!join [text, text, ...]` */
function joined(content: unknown): string {
  if (!Array.isArray(content)) throw new Error("!join takes a list of texts")
  return content.join("")
}

/** Tags that stand for a value that is long to write. */
const makers: Readonly<Record<string, (content: unknown) => unknown>> = {
  "!repeat": repeated,
  "!join": joined,
  "!copies": copies,
  "!entries": entries,
}
