/**
 * YAML bodies, read as the ecosystem reads them (YAML 1.1 words for booleans, `012` is ten, dates are text) and without what makes YAML
 * dangerous: repeated keys cost linear time, aliases and depth are bounded, one document only. The library parses; every scalar is
 * resolved here, because no schema of the library has these rules.
 */
import {
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Pair,
  Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml"
import { badRequest, tooLarge } from "../errors.ts"
import { documentDepthMax, strictErrorsMax, yamlAliasValuesMax, yamlBodyBytesMax } from "../limits.ts"
import type { JsonObject, JsonValue } from "../kit/json.ts"
import { setField } from "../kit/json-text.ts"

export interface ParsedYaml {
  /** An empty document is null. */
  readonly value: JsonValue
  /** One text per repeated key, in the reference's words: `line 3: key "name" already set in map`. */
  readonly duplicates: string[]
}

/** Called with the text of a YAML body (apply patches too). Throws ApiError 400, or 413 beyond `yamlBodyBytesMax`. */
export function parseYaml(text: string): ParsedYaml {
  if (Buffer.byteLength(text) > yamlBodyBytesMax) throw tooLarge(`Request entity too large: limit for YAML is ${yamlBodyBytesMax}`)
  const lines = new LineCounter()
  const document = read(text, lines)
  const fault = document.errors[0]
  if (fault !== undefined) throw badRequest(faultText(fault, lines))
  const reader = new Reader(lines)
  return { value: document.contents === null ? null : reader.value(document.contents), duplicates: reader.duplicates }
}

function read(text: string, lines: LineCounter): Document.Parsed {
  try {
    // The library's own check of repeated keys takes quadratic time.
    return parseDocument(text, { schema: "failsafe", uniqueKeys: false, lineCounter: lines, prettyErrors: false })
  } catch (error) {
    throw badRequest(`yaml: ${firstLine(error instanceof Error ? error.message : String(error))}`)
  }
}

function faultText(fault: YAMLError, lines: LineCounter): string {
  const code: string = fault.code
  if (code === "MULTIPLE_DOCS") return "yaml: the body holds several documents; send one"
  // The library gives up where its own recursion does, which may be before our bound.
  const message = code === "RESOURCE_EXHAUSTION" ? "exceeded max depth" : firstLine(fault.message)
  return `yaml: line ${lines.linePos(fault.pos[0]).line}: ${message}`
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? ""
}

/** One pass over the nodes of a document. */
class Reader {
  readonly duplicates: string[] = []
  private readonly anchors = new Map<string, Node>()
  private readonly open = new Set<Node>()
  private depth = 0
  private aliasDepth = 0
  private aliasValues = 0

  constructor(private readonly lines: LineCounter) {}

  value(node: Node | null): JsonValue {
    if (node === null) return null
    if (this.aliasDepth > 0 && ++this.aliasValues > yamlAliasValuesMax) throw badRequest("yaml: document contains excessive aliasing")
    if (isAlias(node)) return this.aliased(node.source)
    if (node.anchor !== undefined && node.anchor !== "") this.anchors.set(node.anchor, node)
    if (isScalar(node)) return scalarValue(node, this.lineOf(node))
    if (this.open.has(node)) throw badRequest(`yaml: line ${this.lineOf(node)}: an anchor may not contain itself`)
    if (++this.depth > documentDepthMax) throw badRequest(`yaml: line ${this.lineOf(node)}: exceeded max depth`)
    this.open.add(node)
    const value = isSeq(node) ? node.items.map((item) => this.value(isNode(item) ? item : null)) : isMap(node) ? this.map(node) : null
    this.open.delete(node)
    this.depth--
    return value
  }

  private aliased(source: string): JsonValue {
    const target = this.anchors.get(source)
    if (target === undefined) throw badRequest(`yaml: unknown anchor '${source}' referenced`)
    this.aliasDepth++
    const value = this.value(target)
    this.aliasDepth--
    return value
  }

  private map(node: YAMLMap): JsonObject {
    const object: JsonObject = {}
    const merges: Pair[] = []
    for (const pair of node.items) {
      if (isMergeKey(pair)) {
        merges.push(pair)
        continue
      }
      const { name, shown } = this.key(pair.key)
      if (Object.hasOwn(object, name)) this.repeated(pair.key, shown)
      setField(object, name, this.value(isNode(pair.value) ? pair.value : null))
    }
    for (const pair of merges) this.merge(object, pair)
    return object
  }

  private repeated(key: unknown, shown: string): void {
    if (this.aliasDepth === 0 && this.duplicates.length < strictErrorsMax)
      this.duplicates.push(`line ${this.lineOf(key)}: key ${shown} already set in map`)
  }

  /** `<<`: fields of other maps that are not set here. */
  private merge(object: JsonObject, pair: Pair): void {
    const value = this.value(isNode(pair.value) ? pair.value : null)
    for (const source of Array.isArray(value) ? value : [value]) {
      if (typeof source !== "object" || source === null || Array.isArray(source))
        throw badRequest(`yaml: line ${this.lineOf(pair.key)}: map merge requires map or sequence of maps as the value`)
      for (const name of Object.keys(source)) {
        const field = source[name]
        if (field !== undefined && !Object.hasOwn(object, name)) setField(object, name, field)
      }
    }
  }

  private key(key: unknown): { name: string; shown: string } {
    if (!isScalar(key) && !isAlias(key))
      throw badRequest(`yaml: line ${this.lineOf(key)}: invalid map key: it must be text, a number or a boolean`)
    const value = this.value(key)
    if (typeof value === "string") return { name: value, shown: JSON.stringify(value) }
    if (value === null || typeof value === "object")
      throw badRequest(`yaml: line ${this.lineOf(key)}: unsupported map key: it must be text, a number or a boolean`)
    return { name: String(value), shown: String(value) }
  }

  private lineOf(node: unknown): number {
    return isNode(node) && node.range ? this.lines.linePos(node.range[0]).line : 0
  }
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<"
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
      // The library has decoded it already; its source has not.
      return Buffer.from(node.source ?? text, "base64").toString("utf8")
    case "tag:yaml.org,2002:int":
    case "tag:yaml.org,2002:float":
    case "tag:yaml.org,2002:bool":
    case "tag:yaml.org,2002:null":
    case "tag:yaml.org,2002:timestamp":
      return resolvePlain(text, line)
    default:
      throw badRequest(`yaml: line ${line}: cannot read the tag ${node.tag}`)
  }
}

const trueWord = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const falseWord = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/
const nullWord = /^(?:|~|null|Null|NULL)$/
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/
const floatText = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

/** What a scalar without quotes means. Throws ApiError 400 for numbers that JSON does not have. */
function resolvePlain(text: string, line: number): JsonValue {
  if (nullWord.test(text)) return null
  // Most plain scalars start with a letter that starts none of the words.
  if (/^[^-+.0-9yYnNtTfFoO]/.test(text)) return text
  if (trueWord.test(text)) return true
  if (falseWord.test(text)) return false
  const whole = wholeNumber(text)
  if (whole !== undefined) return whole
  if (notFinite.test(text)) throw badRequest(`yaml: line ${line}: ${text} has no JSON form`)
  if (!floatText.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** Decimal, `0x`, `0o`, `0b` and `012`, with underscores between digits; a `bigint` beyond 2^53. */
function wholeNumber(text: string): number | bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F_]+)|0[bB]([01_]+)|0[oO]?([0-7_]+)|([0-9][0-9_]*))$/.exec(text)
  if (match === null) return undefined
  const [, sign, hexadecimal, binary, octal, decimal] = match
  const digits = (hexadecimal ?? binary ?? octal ?? decimal ?? "").replaceAll("_", "")
  // `089` is no number at all, as in the reference.
  if (digits === "" || (decimal !== undefined && decimal.length > 1 && decimal.startsWith("0"))) return undefined
  const prefix = hexadecimal !== undefined ? "0x" : binary !== undefined ? "0b" : octal !== undefined ? "0o" : ""
  const amount = BigInt(prefix + digits)
  const exact = sign === "-" ? -amount : amount
  const narrow = Number(exact)
  return Number.isSafeInteger(narrow) ? narrow : exact
}

/** True when the text without quotes would be read as something else, by us or by another reader of YAML 1.1. */
function needsQuotes(text: string): boolean {
  if (/^\d{4}-\d/.test(text) || notFinite.test(text) || /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+/.test(text) || text === "<<" || text === "=")
    return true
  return typeof resolvePlain(text, 0) !== "string"
}

/** The YAML text of an object: fields sorted, lists not indented, as the reference writes them. `undefined` fields are left out. */
export function writeYaml(value: JsonValue): string {
  const document = new Document(value, {
    version: "1.1",
    schema: "core",
    keepUndefined: false,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  })
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ indentSeq: false, lineWidth: 0 })
}
