/**
 * Reads YAML bodies as the ecosystem does (YAML 1.1 words for booleans, `012` is ten, dates are strings) and without
 * the dangers of YAML: repeated keys cost linear time, aliases and depth are limited, and only one document is read.
 * The library parses; every scalar is resolved here, because no schema of the library has these rules.
 */
import buffers from "node:buffer"
import type { Document, LineCounter, Node, Pair, Scalar, YAMLError, YAMLMap } from "yaml"
import { ApiError, badRequest, tooLarge } from "../base/errors.ts"
import { yamlLibrary } from "../base/lazy-libraries.ts"
import { documentDepthMax, requestBodyBytesMax, strictErrorsMax, yamlAliasValuesMax, yamlBodyBytesMax } from "../base/limits.ts"
import { canonicalBase64 } from "../encoding/canonical.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { setField } from "../encoding/json/text.ts"
import { decodeUtf8 } from "../base/utf8.ts"
import { readDocument } from "./yaml-document.ts"
import { ValueCount } from "../encoding/value-bounds.ts"
import { notFinite, resolvePlain } from "./yaml-scalar.ts"

export interface ParsedYaml {
  /** An empty document is null. */
  readonly value: JsonValue
  /** One text per repeated key, in the reference's words: `line 3: key "name" already set in map`. */
  readonly duplicates: string[]
}

/** Without the name: a password that begins with an asterisk, and is not in quotes, is an alias. */
const unknownAnchorText = "yaml: an alias refers to an anchor that the document does not have; put a text that begins with * in quotes"

/** One fault for all repeated keys, as the reference's YAML reader reports them. `duplicates` is not empty. */
export function repeatedKeysText(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`
}

/**
 * Decodes a YAML body: UTF-8, or UTF-16 with a byte order mark, which is removed. Throws ApiError 400 for other bytes.
 */
export function yamlText(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString("utf16le", 2)
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString("utf16le")
  if (!buffers.isUtf8(bytes)) throw badRequest("yaml: the body is no UTF-8")
  const text = bytes.toString("utf8")
  return text.startsWith("\ufeff") ? text.slice(1) : text
}

/** Called with the text of a YAML body (apply patches too). Throws ApiError 400, or 413 beyond `yamlBodyBytesMax`. */
export function parseYaml(text: string): ParsedYaml {
  if (Buffer.byteLength(text) > yamlBodyBytesMax) throw tooLarge(`Request entity too large: limit for YAML is ${yamlBodyBytesMax}`)
  const strange = notAllowed.exec(text)
  if (strange !== null)
    throw badRequest(`yaml: control characters are not allowed: ${JSON.stringify(strange[0])} at offset ${strange.index}`)
  const lines = new (yamlLibrary().LineCounter)()
  const document = read(text, lines)
  const end = endOfFlow(document, text)
  // Like the reference, reads the first of several documents, and nothing after the last bracket of a document in flow
  // style.
  const fault = document.errors.find(({ code, pos }) => code !== "MULTIPLE_DOCS" && pos[0] < end)
  if (fault !== undefined) throw badRequest(faultText(fault, lines))
  const { explicit, version } = document.directives.yaml
  if (explicit === true && version !== "1.1")
    throw badRequest(`yaml: found incompatible YAML document: version ${version}; write %YAML 1.1`)
  const reader = new Reader(text, lines)
  return { value: document.contents === null ? null : reader.value(document.contents), duplicates: reader.duplicates }
}

function endOfFlow({ contents }: Document.Parsed, text: string): number {
  const { isMap, isSeq } = yamlLibrary()
  const closed = (isMap(contents) || isSeq(contents)) && contents.flow === true && /[\]}]/.test(text[contents.range[1] - 1] ?? "")
  return closed ? contents.range[1] : Number.POSITIVE_INFINITY
}

/** Characters that YAML 1.1 calls not printable. */
const notAllowed = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function read(text: string, lines: LineCounter): Document.Parsed {
  try {
    return readDocument(text, lines)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(`yaml: ${firstLine(error instanceof Error ? error.message : String(error))}`)
  }
}

function faultText(fault: YAMLError, lines: LineCounter): string {
  return `yaml: line ${lines.linePos(fault.pos[0]).line}: ${firstLine(fault.message)}`
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? ""
}

const excessive = "yaml: document contains excessive aliasing"

/** One pass over the nodes of a document. */
class Reader {
  readonly duplicates: string[] = []
  private readonly yaml = yamlLibrary()
  private readonly anchors = new Map<string, Node>()
  private readonly open = new Set<Node>()
  private depth = 0
  private aliasDepth = 0
  private mergeDepth = 0
  private aliasValues = 0
  private aliasCharacters = 0
  private readonly count = new ValueCount()

  constructor(
    private readonly text: string,
    private readonly lines: LineCounter,
  ) {}

  value(node: Node | null): JsonValue {
    if (!this.yaml.isAlias(node)) this.count.add(1)
    return this.read(node)
  }

  private read(node: Node | null): JsonValue {
    if (node === null) return null
    if (this.aliasDepth + this.mergeDepth > 0 && ++this.aliasValues > yamlAliasValuesMax) throw badRequest(excessive)
    if (this.yaml.isAlias(node)) return this.aliased(node.source)
    if (node.anchor !== undefined && node.anchor !== "") this.anchors.set(node.anchor, node)
    if (this.yaml.isScalar(node)) return this.scalar(node)
    this.enter(node)
    const value = this.yaml.isSeq(node)
      ? node.items.map((item) => this.value(this.yaml.isNode(item) ? item : null))
      : this.yaml.isMap(node)
        ? this.map(node)
        : null
    this.leave(node)
    return value
  }

  private enter(node: Node): void {
    if (this.open.has(node)) throw badRequest(`yaml: line ${this.lineOf(node)}: an anchor may not contain itself`)
    if (++this.depth > documentDepthMax) throw badRequest(`yaml: line ${this.lineOf(node)}: exceeded max depth`)
    this.open.add(node)
  }

  private leave(node: Node): void {
    this.open.delete(node)
    this.depth--
  }

  private scalar(node: Scalar): JsonValue {
    const line = this.lineOf(node)
    if (this.aliasDepth + this.mergeDepth > 0) this.chargeAlias(node)
    if (node.type === "QUOTE_DOUBLE" && node.range) checkEscapes(this.text.slice(node.range[0], node.range[1]), line)
    return scalarValue(node, line)
  }

  /** Charges the string behind an alias each time: it is written once, but sent, stored and compared many times. */
  private chargeAlias(node: Scalar): void {
    if (typeof node.value === "string") this.aliasCharacters += node.value.length
    if (this.aliasCharacters > requestBodyBytesMax)
      throw tooLarge(
        `Request entity too large: aliases of the YAML document stand for more than ${requestBodyBytesMax} characters, which is the limit`,
      )
  }

  private aliased(source: string): JsonValue {
    const target = this.anchors.get(source)
    if (target === undefined) throw badRequest(unknownAnchorText)
    this.aliasDepth++
    const value = this.value(target)
    this.aliasDepth--
    return value
  }

  private map(node: YAMLMap): JsonObject {
    const object: JsonObject = {}
    this.fill(object, node)
    return object
  }

  /** Sets the fields of a map in order: the later of two wins, whether written here or merged. */
  private fill(object: JsonObject, node: YAMLMap): void {
    for (const pair of node.items) {
      if (this.isMergeKey(pair)) {
        this.merge(object, pair.value, pair.key)
        continue
      }
      const { name, shown } = this.key(pair.key)
      if (Object.hasOwn(object, name)) this.repeated(pair.key, shown)
      setField(object, name, this.value(this.yaml.isNode(pair.value) ? pair.value : null))
    }
  }

  private repeated(key: unknown, shown: string): void {
    if (this.aliasDepth === 0 && this.duplicates.length < strictErrorsMax)
      this.duplicates.push(`line ${this.lineOf(key)}: key ${shown} already set in map`)
  }

  /** `<<`: merges the fields of another map, or of several, of which the first takes precedence. */
  private merge(object: JsonObject, source: unknown, key: unknown): void {
    const node = this.yaml.isAlias(source) ? this.anchors.get(source.source) : source
    if (this.yaml.isSeq(node)) {
      for (const item of [...node.items].reverse())
        this.mergeMap(object, this.yaml.isAlias(item) ? this.anchors.get(item.source) : item, key)
    } else this.mergeMap(object, node, key)
  }

  private mergeMap(object: JsonObject, node: unknown, key: unknown): void {
    if (!this.yaml.isMap(node)) throw badRequest(`yaml: line ${this.lineOf(key)}: map merge requires map or sequence of maps as the value`)
    if (++this.aliasValues > yamlAliasValuesMax) throw badRequest(excessive)
    this.enter(node)
    this.mergeDepth++
    this.fill(object, node)
    this.mergeDepth--
    this.leave(node)
  }

  private key(key: unknown): { name: string; shown: string } {
    if (!this.yaml.isScalar(key) && !this.yaml.isAlias(key))
      throw badRequest(`yaml: line ${this.lineOf(key)}: invalid map key: it must be text, a number or a boolean`)
    if (this.yaml.isScalar(key) && key.type === "PLAIN" && typeof key.value === "string" && notFinite.test(key.value)) {
      const name = key.value.toLowerCase().replace("+", "")
      return { name, shown: name }
    }
    const value = this.read(key)
    if (typeof value === "string") return { name: value, shown: JSON.stringify(value) }
    if (value === null || typeof value === "object")
      throw badRequest(`yaml: line ${this.lineOf(key)}: unsupported map key: it must be text, a number or a boolean`)
    return { name: String(value), shown: String(value) }
  }

  private isMergeKey({ key }: Pair): boolean {
    return this.yaml.isScalar(key) && key.type === "PLAIN" && key.value === "<<"
  }

  private lineOf(node: unknown): number {
    return this.yaml.isNode(node) && node.range ? this.lines.linePos(node.range[0]).line : 0
  }
}

function scalarValue(node: Scalar, line: number): JsonValue {
  const text = typeof node.value === "string" ? node.value : ""
  switch (node.tag) {
    case undefined:
      return node.type === "PLAIN" ? resolvePlain(text, line) : text
    case "tag:yaml.org,2002:str":
    case "!":
      return text
    case "tag:yaml.org,2002:binary":
      return binaryText(node, line)
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
      return resolvePlain(text, line)
    case "tag:yaml.org,2002:timestamp":
      // The library has converted it to a date; here dates are strings.
      return node.source ?? text
    default:
      // Application tags have no meaning here.
      return text
  }
}

/** Refuses escapes that YAML 1.2 has and 1.1 does not, and characters that cannot be encoded. */
function checkEscapes(source: string, line: number): void {
  if (!source.includes("\\")) return
  for (const [escape, short, long] of source.matchAll(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[^])/g)) {
    const digits = short ?? long
    if (escape === "\\/") throw badRequest(`yaml: line ${line}: found unknown escape character "/"`)
    const code = digits === undefined ? 0 : Number.parseInt(digits, 16)
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw badRequest(`yaml: line ${line}: found invalid Unicode character escape code ${escape}`)
  }
}

function binaryText(node: Scalar, line: number): string {
  // The library has decoded the value already; its source is unchanged.
  const canonical = canonicalBase64(node.source ?? "")
  if (canonical === undefined) throw badRequest(`yaml: line ${line}: !!binary value contains invalid base64 data`)
  return decodeUtf8(Buffer.from(canonical, "base64"))
}
