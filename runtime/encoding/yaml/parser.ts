/** Makes the nodes of the first document of a text. Grammar: YAML 1.1, as the reader of the reference applies it. */
import { Scanner } from "./scanner.ts"
import { YamlSyntaxError } from "./syntax-error.ts"
import type { Token, TokenKind } from "./token.ts"

interface NodeParts {
  /** The line on which it begins, from 0. */
  readonly line: number
}

export interface ScalarNode extends NodeParts {
  readonly kind: "scalar"
  readonly text: string
  /** In its long form; "" for none. */
  readonly tag: string
  /** Whether its text decides its type: it is plain, or has the tag `!`. */
  readonly isImplicit: boolean
}

export interface AliasNode extends NodeParts {
  readonly kind: "alias"
  /** May be a collection that contains the alias. */
  readonly target: YamlNode
}

export interface SequenceNode extends NodeParts {
  readonly kind: "sequence"
  readonly items: YamlNode[]
}

export interface MappingNode extends NodeParts {
  readonly kind: "mapping"
  readonly pairs: { readonly key: YamlNode; readonly value: YamlNode }[]
}

export type YamlNode = ScalarNode | AliasNode | SequenceNode | MappingNode

export const tagPrefix = "tag:yaml.org,2002:"

/**
 * Reads the first document of a text; ignores later ones. Undefined if there is none. Throws YamlSyntaxError for a text
 * that is no YAML, or has more than `depthMax` collections in each other. Takes time that grows with the length of the
 * text.
 */
export function parseYamlDocument(text: string, depthMax: number): YamlNode | undefined {
  return new Parser(new Scanner(text), depthMax).document()
}

interface Properties {
  readonly line: number
  readonly anchor: string | undefined
  readonly tag: string
}

/** Tokens at which a key or value of a block mapping is empty. */
const endsBlockValue: ReadonlySet<TokenKind> = new Set(["key", "value", "blockEnd"])
const endsEntry: ReadonlySet<TokenKind> = new Set(["blockEntry", "blockEnd"])
const endsIndentlessEntry: ReadonlySet<TokenKind> = new Set(["blockEntry", "key", "value", "blockEnd"])
const endsDocument: ReadonlySet<TokenKind> = new Set(["version", "tagDirective", "documentStart", "documentEnd", "streamEnd"])

class Parser {
  private readonly handles = new Map<string, string>()
  private readonly anchors = new Map<string, YamlNode>()
  private depth = 0

  constructor(
    private readonly scanner: Scanner,
    private readonly depthMax: number,
  ) {}

  document(): YamlNode | undefined {
    const first = this.scanner.peek()
    if (first.kind === "streamEnd") return undefined
    const hasStart = first.kind === "version" || first.kind === "tagDirective" || first.kind === "documentStart"
    this.directives()
    if (hasStart) {
      const start = this.scanner.take()
      if (start.kind !== "documentStart") throw fault("did not find expected <document start>", start)
    }
    const next = this.scanner.peek()
    const root = hasStart && endsDocument.has(next.kind) ? empty(next.line) : this.node(true, false)
    // Throws if the text that follows does not begin with a token.
    this.scanner.peek()
    return root
  }

  private directives(): void {
    let hasVersion = false
    for (let token = this.scanner.peek(); ; token = this.scanner.peek()) {
      if (token.kind === "version") {
        if (hasVersion) throw fault("found duplicate %YAML directive", token)
        if (token.text !== "1.1") throw fault(`found incompatible YAML document: version ${token.text}; write %YAML 1.1`, token)
        hasVersion = true
      } else if (token.kind === "tagDirective") {
        if (this.handles.has(token.handle)) throw fault("found duplicate %TAG directive", token)
        this.handles.set(token.handle, token.text)
      } else break
      this.scanner.take()
    }
    if (!this.handles.has("!")) this.handles.set("!", "!")
    if (!this.handles.has("!!")) this.handles.set("!!", tagPrefix)
  }

  /** `inBlock`: block collections may begin here. `indentless`: so may a list in the column of its key. */
  private node(inBlock: boolean, indentless: boolean): YamlNode {
    const first = this.scanner.peek()
    if (first.kind === "alias") {
      this.scanner.take()
      return { kind: "alias", line: first.line, target: this.targetOf(first) }
    }
    const properties = this.properties(first)
    const token = this.scanner.peek()
    if (token.kind === "scalar") return this.scalar(properties)
    const collection = this.collection(token, properties, inBlock, indentless)
    if (collection !== undefined) return collection
    const { line, anchor, tag } = properties
    if (anchor === undefined && tag === "") throw fault("did not find expected node content", token)
    return this.named(anchor, { kind: "scalar", line, tag, text: "", isImplicit: tag === "" })
  }

  private targetOf(token: Token): YamlNode {
    const target = this.anchors.get(token.text)
    if (target === undefined) throw fault(`unknown anchor '${token.text}' referenced; put a text that begins with * in quotes`, token)
    return target
  }

  /** An anchor names its node before the parts of the node are read, and until the name is used for another node. */
  private named<Node extends YamlNode>(anchor: string | undefined, node: Node): Node {
    if (anchor !== undefined) this.anchors.set(anchor, node)
    return node
  }

  /** An anchor and a tag, in any order. */
  private properties({ line }: Token): Properties {
    let anchor: string | undefined
    let tag: string | undefined
    for (let token = this.scanner.peek(); ; token = this.scanner.peek()) {
      if (token.kind === "anchor" && anchor === undefined) anchor = token.text
      else if (token.kind === "tag" && tag === undefined) tag = this.tagOf(token)
      else return { line, anchor, tag: tag ?? "" }
      this.scanner.take()
    }
  }

  private tagOf(token: Token): string {
    if (token.handle === "") return token.text
    const prefix = this.handles.get(token.handle)
    if (prefix === undefined) throw fault("found undefined tag handle", token)
    return prefix + token.text
  }

  private scalar({ line, anchor, tag }: Properties): ScalarNode {
    const { text, plain } = this.scanner.take()
    return this.named(anchor, { kind: "scalar", line, tag, text, isImplicit: tag === "" ? plain : tag === "!" })
  }

  private collection({ kind }: Token, properties: Properties, inBlock: boolean, indentless: boolean): YamlNode | undefined {
    const read = this.readerOf(kind, inBlock, indentless)
    if (read === undefined) return undefined
    if (++this.depth > this.depthMax) throw new YamlSyntaxError("exceeded max depth", properties.line + 1)
    const node = read(properties)
    this.depth--
    return node
  }

  private readerOf(kind: TokenKind, inBlock: boolean, indentless: boolean): ((properties: Properties) => YamlNode) | undefined {
    switch (kind) {
      case "blockEntry":
        return indentless ? (properties) => this.indentlessSequence(properties) : undefined
      case "flowSequenceStart":
        return (properties) => this.flowSequence(properties)
      case "flowMappingStart":
        return (properties) => this.flowMapping(properties)
      case "blockSequenceStart":
        return inBlock ? (properties) => this.blockSequence(properties) : undefined
      case "blockMappingStart":
        return inBlock ? (properties) => this.blockMapping(properties) : undefined
      default:
        return undefined
    }
  }

  private indentlessSequence({ line, anchor }: Properties): SequenceNode {
    const node = this.named<SequenceNode>(anchor, { kind: "sequence", line, items: [] })
    while (this.scanner.peek().kind === "blockEntry") {
      const entry = this.scanner.take()
      node.items.push(this.unless(endsIndentlessEntry, entry.line, () => this.node(true, false)))
    }
    return node
  }

  private blockSequence({ line, anchor }: Properties): SequenceNode {
    const node = this.named<SequenceNode>(anchor, { kind: "sequence", line, items: [] })
    this.scanner.take()
    for (;;) {
      const token = this.scanner.take()
      if (token.kind === "blockEnd") return node
      if (token.kind !== "blockEntry") throw fault("did not find expected '-' indicator", token)
      node.items.push(this.unless(endsEntry, token.line, () => this.node(true, false)))
    }
  }

  private blockMapping({ line, anchor }: Properties): MappingNode {
    const node = this.named<MappingNode>(anchor, { kind: "mapping", line, pairs: [] })
    this.scanner.take()
    for (;;) {
      const token = this.scanner.take()
      if (token.kind === "blockEnd") return node
      if (token.kind !== "key") throw fault("did not find expected key", token)
      const key = this.unless(endsBlockValue, token.line, () => this.node(true, true))
      node.pairs.push({ key, value: this.valueIn(endsBlockValue, () => this.node(true, true)) })
    }
  }

  /** The value behind a colon; an empty one without a colon. */
  private valueIn(ends: ReadonlySet<TokenKind>, read: () => YamlNode): YamlNode {
    const token = this.scanner.peek()
    if (token.kind !== "value") return empty(token.line)
    this.scanner.take()
    return this.unless(ends, token.line, read)
  }

  private unless(ends: ReadonlySet<TokenKind>, line: number, read: () => YamlNode): YamlNode {
    return ends.has(this.scanner.peek().kind) ? empty(line) : read()
  }

  private flowSequence({ line, anchor }: Properties): SequenceNode {
    const node = this.named<SequenceNode>(anchor, { kind: "sequence", line, items: [] })
    this.scanner.take()
    while (this.moreInFlow("flowSequenceEnd", node.items.length === 0, "did not find expected ',' or ']'"))
      node.items.push(this.scanner.peek().kind === "key" ? this.pairInSequence() : this.node(false, false))
    return node
  }

  /** `[a: b]`: a mapping of one pair, without braces. */
  private pairInSequence(): MappingNode {
    const { line } = this.scanner.take()
    const ends: ReadonlySet<TokenKind> = endsPairInSequence
    const next = this.scanner.peek()
    let key: YamlNode
    if (next.kind === "value" || ends.has(next.kind)) {
      // The reader of the reference loses the token here, a colon as well.
      this.scanner.take()
      key = empty(next.line)
    } else key = this.node(false, false)
    return { kind: "mapping", line, pairs: [{ key, value: this.valueIn(ends, () => this.node(false, false)) }] }
  }

  private flowMapping({ line, anchor }: Properties): MappingNode {
    const node = this.named<MappingNode>(anchor, { kind: "mapping", line, pairs: [] })
    this.scanner.take()
    while (this.moreInFlow("flowMappingEnd", node.pairs.length === 0, "did not find expected ',' or '}'")) {
      if (this.scanner.peek().kind === "key") {
        this.scanner.take()
        const next = this.scanner.peek()
        const key = next.kind === "value" || endsPairInMapping.has(next.kind) ? empty(next.line) : this.node(false, false)
        node.pairs.push({ key, value: this.valueIn(endsPairInMapping, () => this.node(false, false)) })
      } else node.pairs.push({ key: this.node(false, false), value: empty(this.scanner.peek().line) })
    }
    return node
  }

  /** Takes the comma before the next entry of a flow collection, or its end. */
  private moreInFlow(end: TokenKind, isFirst: boolean, expected: string): boolean {
    if (this.scanner.peek().kind !== end && !isFirst) {
      const comma = this.scanner.take()
      if (comma.kind !== "flowEntry") throw fault(expected, comma)
    }
    if (this.scanner.peek().kind !== end) return true
    this.scanner.take()
    return false
  }
}

const endsPairInSequence: ReadonlySet<TokenKind> = new Set(["flowEntry", "flowSequenceEnd"])
const endsPairInMapping: ReadonlySet<TokenKind> = new Set(["flowEntry", "flowMappingEnd"])

/** A value that is left out: null. */
function empty(line: number): ScalarNode {
  return { kind: "scalar", line, tag: "", text: "", isImplicit: true }
}

function fault(message: string, { line }: Token): YamlSyntaxError {
  return new YamlSyntaxError(message, line + 1)
}
