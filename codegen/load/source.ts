/**
 * A schema file as a tree of nodes with positions. YAML 1.2 without anchors, aliases and tags; duplicate keys are
 * detected here.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type YAMLMap,
} from "yaml"
import type { JsonValue } from "../../runtime/base/json.ts"
import type { Diagnostic, Fault } from "./diagnostic.ts"

export type SourceNode = ScalarNode | ListNode | MapNode

interface Extent {
  /** Offsets into the text of the file. */
  readonly start: number
  readonly end: number
}

export interface ScalarNode extends Extent {
  readonly node: "scalar"
  readonly value: string | number | bigint | boolean | null
}

export interface ListNode extends Extent {
  readonly node: "list"
  readonly items: readonly SourceNode[]
}

export interface MapNode extends Extent {
  readonly node: "map"
  readonly entries: readonly MapEntry[]
  /** Written as `{a: b}`. */
  readonly flow: boolean
}

export interface MapEntry {
  /** As written; once reported, a key that is nearly a dialect word becomes that word. */
  key: string
  readonly keyStart: number
  /** Empty, once it is reported as the value of another language. */
  value: SourceNode
}

/** One schema file: its text, its tree and its errors so far. */
export class SourceFile {
  readonly diagnostics: Diagnostic[] = []
  /** Diagnostics that do not stop the generator: TypeScript files that schemas refer to and that do not exist yet. */
  readonly notes: Diagnostic[] = []
  /** Diagnostics that do not stop the generator: valid schemas that are hardly intended. */
  readonly warnings: Diagnostic[] = []
  readonly root: MapNode
  /** The documents of a file of manifests; otherwise `root` alone. */
  readonly documents: readonly MapNode[]
  /** False when the text is not YAML, or not a map; the tree is then incomplete. */
  readonly readable: boolean
  private readonly lines = new LineCounter()

  /**
   * `path` is relative to the schema folder. Parsing never throws: errors are in `diagnostics`, and `root` has the
   * readable part. `manifests`: the file may have several documents, each of which is an object.
   */
  constructor(
    readonly path: string,
    readonly text: string,
    manifests = false,
  ) {
    const documents = this.parse(manifests)
    const [error] = documents.flatMap(({ errors }) => errors)
    if (error !== undefined) this.report(error.pos[0], syntaxFault(error.message, text, error.pos[0]))
    const second = manifests ? -1 : secondDocument(text)
    if (error === undefined && second >= 0) this.report(second, { found: "a second document", expected: "one document in each file" })
    const nodes = documents.flatMap(({ contents }) => (contents === null ? [] : [this.convert(contents)]))
    const roots = nodes.filter((node) => node.node === "map")
    const others = nodes.filter((node) => node.node !== "map")
    const expected = manifests ? 'a manifest that begins with "apiVersion:"' : 'a map that begins with "kind:" or "types:"'
    if (error === undefined) {
      for (const node of others) this.report(node.start, { found: `${article(node)} at the top of the file`, expected })
      if (nodes.length === 0) this.report(0, { found: "an empty file", expected })
    }
    this.readable = error === undefined && second < 0 && others.length === 0 && roots.length > 0
    this.documents = roots
    this.root = roots[0] ?? { node: "map", entries: [], flow: false, start: 0, end: 0 }
  }

  private parse(manifests: boolean): readonly Document[] {
    const options = {
      uniqueKeys: false,
      intAsBigInt: true,
      keepSourceTokens: false,
      lineCounter: this.lines,
      logLevel: "silent",
      prettyErrors: false,
    } as const
    return manifests ? [...parseAllDocuments(this.text, options)] : [parseDocument(this.text, options)]
  }

  /** Adds an error at an offset of the text. */
  report(offset: number, fault: Fault): void {
    this.diagnostics.push(this.located(offset, fault))
  }

  /** Adds a note at an offset of the text. */
  note(offset: number, fault: Fault): void {
    this.notes.push(this.located(offset, fault))
  }

  /** Adds a warning at an offset of the text. */
  warn(offset: number, fault: Fault): void {
    this.warnings.push(this.located(offset, fault))
  }

  private located(offset: number, fault: Fault): Diagnostic {
    const { line, col } = this.lines.linePos(Math.min(Math.max(offset, 0), this.text.length))
    return { file: this.path, line: Math.max(line, 1), column: Math.max(col, 1), ...fault }
  }

  /**
   * Finds the character with number `offset` of a scalar's value in the file. Quotes, escapes, the head of a block and
   * the folding of lines are skipped; characters that are no blanks correspond one to one.
   */
  offsetInside(node: SourceNode, offset: number): number {
    if (node.node !== "scalar" || typeof node.value !== "string") return node.start
    let place = firstPlace(this.text, node)
    for (let index = 0; index < node.value.length; index++) {
      if (/\s/.test(node.value[index] ?? "")) continue
      place = skipBlanks(this.text, place, node.end)
      if (index >= offset) return Math.min(place.at, node.end)
      place = { ...place, at: place.at + writtenLength(this.text, place) }
    }
    return Math.min(place.at, node.end)
  }

  private convert(node: Node): SourceNode {
    const [start = 0, end = start] = node.range ?? []
    if (node.tag !== undefined && !node.tag.startsWith("tag:yaml.org,2002:"))
      this.report(start, { found: `the tag ${node.tag}`, expected: "a plain value: tags are not part of the dialect" })
    if (!isAlias(node) && node.anchor !== undefined)
      this.report(start, { found: `the anchor &${node.anchor}`, expected: "the value itself: anchors are not part of the dialect" })
    if (isMap(node)) return this.convertMap(node, start, end)
    if (isSeq(node)) return { node: "list", items: node.items.map((item) => this.convertUnknown(item, start)), start, end }
    if (isScalar(node)) return { node: "scalar", value: plain(node.value), start, end }
    this.report(start, {
      found: isAlias(node) ? `the alias *${node.source}` : "an unknown node",
      expected: "the value itself: aliases are not part of the dialect",
    })
    return { node: "scalar", value: null, start, end }
  }

  private convertMap(map: YAMLMap, start: number, end: number): MapNode {
    const entries: MapEntry[] = []
    const seen = new Set<string>()
    for (const pair of map.items) {
      const entry = this.convertPair(pair, start)
      if (seen.has(entry.key)) {
        this.report(entry.keyStart, { found: `the key "${entry.key}" a second time in one map`, expected: "every key once" })
        continue
      }
      seen.add(entry.key)
      entries.push(entry)
    }
    return { node: "map", entries, flow: map.flow === true, start, end }
  }

  private convertPair(pair: Pair, start: number): MapEntry {
    const key = this.convertUnknown(pair.key, start)
    if (key.node !== "scalar") this.report(key.start, { found: `${article(key)} as a key`, expected: "a word before the colon" })
    const written = this.text.slice(key.start, key.end)
    const name = key.node === "scalar" && typeof key.value === "string" ? key.value : written
    return { key: name, keyStart: key.start, value: this.convertUnknown(pair.value, key.end) }
  }

  /** The library types parts of its tree as unknown. Anything that is not a node is an absent value. */
  private convertUnknown(value: unknown, start: number): SourceNode {
    if (isScalar(value) || isMap(value) || isSeq(value) || isAlias(value)) return this.convert(value)
    return { node: "scalar", value: null, start, end: start }
  }
}

/** A position in the source of a scalar; `quote` is its style: `"`, `'`, or none. */
interface Place {
  readonly at: number
  readonly quote: string
}

function firstPlace(text: string, { start, end }: ScalarNode): Place {
  const first = text[start] ?? ""
  if (first === '"' || first === "'") return { at: start + 1, quote: first }
  if (first !== "|" && first !== ">") return { at: start, quote: "" }
  const line = text.indexOf("\n", start)
  return { at: line < 0 ? end : line + 1, quote: "" }
}

/** Blanks, and in double quotes the escapes that stand for blanks or for the end of a line. */
function skipBlanks(text: string, { at, quote }: Place, end: number): Place {
  let next = at
  while (next < end) {
    const blank = /\s/.test(text[next] ?? "") ? 1 : quote === '"' && /^\\[ntrvf_NLP \t\n\r]/.test(text.slice(next, next + 2)) ? 2 : 0
    if (blank === 0) break
    next += blank
  }
  return { at: next, quote }
}

const escapeLengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 }

/** How many characters of the source write one character of the value. */
function writtenLength(text: string, { at, quote }: Place): number {
  if (quote === "'" && text[at] === "'") return 2
  if (quote !== '"' || text[at] !== "\\") return 1
  return escapeLengths[text[at + 1] ?? ""] ?? 2
}

function plain(value: unknown): ScalarNode["value"] {
  if (typeof value === "bigint") return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  return null
}

/** Replaces YAML's messages for the two mistakes that it explains badly. */
function syntaxFault(message: string, text: string, offset: number): { found: string; expected: string } {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1).split("\n", 1)[0] ?? ""
  const listType = /(?:[\w.]*<)?\[\][\w.<>]+/.exec(line)?.[0]
  if (listType !== undefined && !line.includes(`"${listType}"`) && !line.includes(`'${listType}'`))
    return { found: `the type ${listType} without quotes`, expected: `"${listType}"` }
  if (message.includes("Tabs are not allowed")) return { found: "a tab", expected: "blanks: YAML does not indent with tabs" }
  if (message.includes("same column"))
    return { found: "a key that begins in another column than those beside it", expected: "the same number of blanks in front of both" }
  const reserved = /cannot start with (?:reserved character|directive indicator character) (\S)/.exec(message)?.[1]
  if (reserved !== undefined) return { found: `a text that begins with ${reserved}`, expected: "quotes around it" }
  if (message.includes("Missing closing")) return { found: "a quote without its end", expected: "a closing quote" }
  if (line.includes("{{")) return { found: "{{ in a text without quotes", expected: "quotes around the text" }
  const brackets = /([\w.]+)\[\]/.exec(line)?.[1]
  if (brackets !== undefined) return { found: `the type ${brackets}[]`, expected: `"[]${brackets}", in quotes` }
  if (message.includes("Flow map")) return { found: "a brace without its end", expected: "a closing }" }
  if (message.includes("Flow sequence")) return { found: "a bracket without its end", expected: "a closing ]" }
  if (message.includes("Nested mappings"))
    return { found: "a second colon in an unquoted text", expected: 'quotes around a text that holds ": "' }
  return { found: `text that is not YAML: ${message.replace(/ at line \d+, column \d+:?.*$/s, "")}`, expected: "" }
}

/** `a list`, `a map`, `the text "x"`, `the number 3`: how a diagnostic names what it found. */
export function article(node: SourceNode): string {
  if (node.node === "list") return "a list"
  if (node.node === "map") return "a map"
  if (node.value === null) return "nothing"
  if (typeof node.value === "string") return `the text "${node.value.length > 60 ? `${node.value.slice(0, 57)}...` : node.value}"`
  return typeof node.value === "boolean" ? String(node.value) : `the number ${node.value}`
}

/** A node as plain JSON, for `default` and `enum`. */
export function toJson(node: SourceNode): JsonValue {
  if (node.node === "scalar") return node.value
  if (node.node === "list") return node.items.map(toJson)
  return Object.fromEntries(node.entries.map((entry) => [entry.key, toJson(entry.value)]))
}

/** The offset of the second document's `---`; below 0 where there is none. Comments are no document. */
function secondDocument(text: string): number {
  const first = text.search(/^[ \t]*[^\s#]/m)
  const separator = /^---(?=\s|$)/gm
  separator.lastIndex = first + 1
  return first < 0 ? -1 : (separator.exec(text)?.index ?? -1)
}
