/**
 * Reads YAML bodies as the ecosystem does (YAML 1.1 words for booleans, `012` is ten, dates are strings) and without
 * the dangers of YAML: repeated keys cost linear time, aliases and depth are limited, and only one document is read.
 * `encoding/yaml/` makes the nodes.
 */
import buffers from "node:buffer"
import { badRequest, tooLarge } from "../base/errors.ts"
import {
  documentDepthMax,
  requestBodyBytesMax,
  strictErrorsMax,
  yamlAliasValuesMax,
  yamlBodyBytesMax,
  yamlDepthMax,
} from "../base/limits.ts"
import { canonicalBase64 } from "../encoding/canonical.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { setField } from "../encoding/json/text.ts"
import { decodeUtf8 } from "../base/utf8.ts"
import { ValueCount } from "../encoding/value-bounds.ts"
import { type MappingNode, parseYamlDocument, type ScalarNode, tagPrefix, type YamlNode } from "../encoding/yaml/parser.ts"
import { keyName, NotFinite, resolveScalar } from "../encoding/yaml/resolve.ts"
import { YamlSyntaxError } from "../encoding/yaml/syntax-error.ts"

export interface ParsedYaml {
  /** An empty document is null. */
  readonly value: JsonValue
  /** One text per repeated key, in the reference's words: `line 3: key "name" already set in map`. */
  readonly duplicates: string[]
}

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
  try {
    const document = parseYamlDocument(text, yamlDepthMax)
    const reader = new Reader()
    return { value: document === undefined ? null : reader.value(document), duplicates: reader.duplicates }
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw badRequest(`yaml: line ${error.line}: ${error.message}`)
    throw error
  }
}

/** Characters that YAML 1.1 calls not printable. */
const notAllowed = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const excessive = "yaml: document contains excessive aliasing"

/** One pass over the nodes of a document. */
class Reader {
  readonly duplicates: string[] = []
  private readonly open = new Set<YamlNode>()
  private depth = 0
  private aliasDepth = 0
  private mergeDepth = 0
  private aliasValues = 0
  private aliasCharacters = 0
  private readonly count = new ValueCount()

  value(node: YamlNode): JsonValue {
    if (node.kind !== "alias") this.count.add(1)
    return this.read(node)
  }

  private read(node: YamlNode): JsonValue {
    this.countAlias()
    if (node.kind === "alias") return this.aliased(node.target)
    if (node.kind === "scalar") return this.scalar(node)
    this.enter(node)
    const value = node.kind === "sequence" ? node.items.map((item) => this.value(item)) : this.map(node)
    this.leave(node)
    return value
  }

  private countAlias(): void {
    if (this.aliasDepth + this.mergeDepth > 0 && ++this.aliasValues > yamlAliasValuesMax) throw badRequest(excessive)
  }

  private enter(node: YamlNode): void {
    if (this.open.has(node)) throw badRequest(`yaml: line ${node.line + 1}: an anchor may not contain itself`)
    if (++this.depth > documentDepthMax) throw badRequest(`yaml: line ${node.line + 1}: exceeded max depth`)
    this.open.add(node)
  }

  private leave(node: YamlNode): void {
    this.open.delete(node)
    this.depth--
  }

  private scalar(node: ScalarNode): JsonValue {
    if (this.aliasDepth + this.mergeDepth > 0) this.chargeAlias(node)
    const value = resolveScalar(node)
    if (value instanceof NotFinite) throw badRequest(`yaml: line ${node.line + 1}: ${value.text} has no JSON form`)
    return node.tag === binaryTag ? binaryText(node) : value
  }

  /** Charges the string behind an alias each time: it is written once, but sent, stored and compared many times. */
  private chargeAlias({ text }: ScalarNode): void {
    this.aliasCharacters += text.length
    if (this.aliasCharacters > requestBodyBytesMax)
      throw tooLarge(
        `Request entity too large: aliases of the YAML document stand for more than ${requestBodyBytesMax} characters, which is the limit`,
      )
  }

  private aliased(target: YamlNode): JsonValue {
    this.aliasDepth++
    const value = this.value(target)
    this.aliasDepth--
    return value
  }

  private map(node: MappingNode): JsonObject {
    const object: JsonObject = {}
    this.fill(object, node)
    return object
  }

  /** Sets the fields of a map in order: the later of two wins, whether written here or merged. */
  private fill(object: JsonObject, node: MappingNode): void {
    for (const { key, value } of node.pairs) {
      if (isMergeKey(key)) {
        this.merge(object, value)
        continue
      }
      const { name, shown } = this.key(key)
      if (Object.hasOwn(object, name)) this.repeated(value, shown)
      setField(object, name, this.value(value))
    }
  }

  private repeated({ line }: YamlNode, shown: string): void {
    if (this.aliasDepth === 0 && this.duplicates.length < strictErrorsMax)
      this.duplicates.push(`line ${line + 1}: key ${shown} already set in map`)
  }

  /** `<<`: merges the fields of another map, or of several, of which the first takes precedence. */
  private merge(object: JsonObject, source: YamlNode): void {
    if (source.kind !== "sequence") this.mergeMap(object, source)
    else for (const item of [...source.items].reverse()) this.mergeMap(object, item)
  }

  private mergeMap(object: JsonObject, source: YamlNode): void {
    const node = source.kind === "alias" ? source.target : source
    if (node.kind !== "mapping") throw badRequest(`yaml: line ${source.line + 1}: map merge requires map or sequence of maps as the value`)
    if (++this.aliasValues > yamlAliasValuesMax) throw badRequest(excessive)
    this.enter(node)
    this.mergeDepth++
    this.fill(object, node)
    this.mergeDepth--
    this.leave(node)
  }

  private key(key: YamlNode): { name: string; shown: string } {
    const node = key.kind === "alias" ? key.target : key
    if (node.kind !== "scalar") throw badRequest(`yaml: line ${key.line + 1}: invalid map key: it must be text, a number or a boolean`)
    if (key.kind === "alias") this.aliasDepth++
    this.countAlias()
    if (this.aliasDepth + this.mergeDepth > 0) this.chargeAlias(node)
    if (key.kind === "alias") this.aliasDepth--
    if (node.tag === binaryTag) {
      const text = binaryText(node)
      return { name: text, shown: JSON.stringify(text) }
    }
    const name = keyName(node)
    if (name === undefined) throw badRequest(`yaml: line ${key.line + 1}: unsupported map key: it must be text, a number or a boolean`)
    return name
  }
}

const mergeTag = `${tagPrefix}merge`
const binaryTag = `${tagPrefix}binary`

function isMergeKey(key: YamlNode): boolean {
  return key.kind === "scalar" && key.text === "<<" && (key.isImplicit || key.tag === mergeTag)
}

function binaryText({ line, text }: ScalarNode): string {
  const canonical = canonicalBase64(text)
  if (canonical === undefined) throw badRequest(`yaml: line ${line + 1}: !!binary value contains invalid base64 data`)
  return decodeUtf8(Buffer.from(canonical, "base64"))
}
