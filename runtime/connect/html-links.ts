/**
 * Rewrites links in HTML pages that pass through a proxy. Only the values of known attributes change; all other bytes
 * stay. Pages come from untrusted machines, so each byte is examined once and nothing but an incomplete link is
 * buffered.
 */
import { Transform, type TransformCallback } from "node:stream"
import type { QuoteType, Tokenizer, TokenizerCallbacks } from "htmlparser2"
import { assert } from "../base/assert.ts"
import { htmlTagBytesMax } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"

/** Attributes that hold a URL, by element: `atomsToAttrs` of the reference's proxy. */
const linkAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }).map(([element, attributes]) => [element, new Set(attributes)]),
)

/** Length of the longest name above; longer names are skipped. */
const nameCharactersMax = 10

/** The library that exports `Tokenizer`. Loading takes 30 ms, so it is loaded for the first page only. */
type Library = typeof import("htmlparser2")

/**
 * A transform from the original page to the rewritten one. `rewrite` receives the value of each such attribute with the
 * character references in its path decoded. Links of more than `htmlTagBytesMax` bytes stay as they are.
 */
export function rewriteLinks(rewrite: (link: string) => string): Transform {
  const turns = new Turns()
  let page: PageRewriter | undefined
  const links = new Transform({
    construct(done) {
      import("htmlparser2").then((library) => {
        page = new PageRewriter(library, rewrite)
        done()
      }, done)
    },
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      pass(chunk).then(() => done(), done)
    },
    flush(done: TransformCallback) {
      done(null, Buffer.from(page?.rest() ?? "", "latin1"))
    },
  })
  async function pass(chunk: Buffer): Promise<void> {
    assert(page !== undefined, "nothing comes before the library is there")
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      const before = page.linksSeen
      // Latin-1 preserves every byte; markup and links are ASCII.
      links.push(Buffer.from(page.next(chunk.toString("latin1", at, at + sliceBytes)), "latin1"))
      if (turns.isOver(sliceBytes * byteWork + (page.linksSeen - before) * linkWork)) await turns.next()
    }
  }
  return links
}

/**
 * Bytes of a page processed in one turn, and the cost in microseconds of a byte and of a link: a page of nothing but
 * links yields to other work.
 */
const sliceBytes = 8 * 1024
const byteWork = 0.01
const linkWork = 2

/** The callbacks of the tokenizer, all of them doing nothing; subclasses override the callbacks that they need. */
class TokenizerHandler implements TokenizerCallbacks {
  onattribdata(_start: number, _end: number): void {}
  onattribend(_quote: QuoteType): void {}
  onattribentity(_code: number): void {}
  onattribname(_start: number, _end: number): void {}
  oncdata(): void {}
  onclosetag(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onopentagend(): void {}
  onopentagname(_start: number, _end: number): void {}
  onprocessinginstruction(): void {}
  onselfclosingtag(): void {}
  ontext(): void {}
  ontextentity(): void {}
}

/**
 * The tokenizer reports where names and values begin and end, in characters from the beginning of the page. It keeps no
 * text.
 */
class PageRewriter extends TokenizerHandler {
  private readonly tokenizer: Tokenizer
  private chunk = ""
  /** Offset of the current chunk, and the text right before it, in which a name may have begun. */
  private chunkAt = 0
  private before = ""
  /** Offset up to which the page was passed on or is buffered. */
  private doneAt = 0
  private out: string[] = []
  /** The attributes of the open tag that hold links. */
  private attributes: ReadonlySet<string> | undefined
  private isLink = false
  private held = ""
  linksSeen = 0

  constructor(
    private readonly library: Library,
    private readonly rewrite: (link: string) => string,
  ) {
    super()
    this.tokenizer = new library.Tokenizer({ decodeEntities: false }, this)
  }

  /** Takes the next chunk; returns what can be passed on. */
  next(chunk: string): string {
    this.chunk = chunk
    this.tokenizer.write(chunk)
    this.passUpTo(this.chunkAt + chunk.length)
    this.before = (chunk.length < nameCharactersMax ? this.before + chunk : chunk).slice(-nameCharactersMax)
    this.chunkAt += chunk.length
    return this.taken()
  }

  /** Returns what is left at the end of the page. */
  rest(): string {
    this.giveUp()
    return this.taken()
  }

  override onopentagname(start: number, end: number): void {
    this.attributes = linkAttributes.get(this.name(start, end))
  }

  override onattribname(start: number, end: number): void {
    this.isLink = this.attributes?.has(this.name(start, end)) === true
  }

  /** Reports a part of the value, as far as the chunk has it. */
  override onattribdata(start: number, end: number): void {
    if (!this.isLink) return
    this.passUpTo(start)
    this.held += this.chunk.slice(start - this.chunkAt, end - this.chunkAt)
    this.doneAt = end
    if (this.held.length > htmlTagBytesMax) this.giveUp()
  }

  override onattribend(quote: QuoteType): void {
    if (this.isLink && this.held !== "") {
      this.out.push(this.rewritten(this.held, quote))
      this.linksSeen++
    }
    this.held = ""
    this.isLink = false
  }

  /** The name that ends in this chunk, in lower case; "" for one too long to be known. */
  private name(start: number, end: number): string {
    if (end - start > nameCharactersMax) return ""
    const from = start - this.chunkAt
    return `${from < 0 ? this.before.slice(from) : ""}${this.chunk.slice(Math.max(0, from), end - this.chunkAt)}`.toLowerCase()
  }

  private passUpTo(end: number): void {
    if (end > this.doneAt) this.out.push(this.chunk.slice(this.doneAt - this.chunkAt, end - this.chunkAt))
    this.doneAt = Math.max(end, this.doneAt)
  }

  private giveUp(): void {
    this.out.push(this.held)
    this.held = ""
    this.isLink = false
  }

  private taken(): string {
    const text = this.out.join("")
    this.out = []
    return text
  }

  private rewritten(value: string, quote: QuoteType): string {
    const reference = value.indexOf("&")
    const query = value.indexOf("?")
    // A reference in the query does not matter for the path.
    if (reference < 0 || (query >= 0 && query < reference)) return this.rewrite(value)
    const link = ValueDecoder.decoded(this.library, value, quote)
    const result = this.rewrite(link)
    return result === link ? value : escaped(result)
  }
}

/**
 * Decodes the character references of a value. References to non-ASCII characters are percent-encoded, which does not
 * depend on the encoding of the page.
 */
class ValueDecoder extends TokenizerHandler {
  private readonly parts: string[] = []

  private constructor(private readonly text: string) {
    super()
  }

  static decoded({ QuoteType, Tokenizer }: Library, value: string, quote: QuoteType): string {
    const mark = quote === QuoteType.Double ? '"' : quote === QuoteType.Single ? "'" : ""
    const text = `<a b=${mark}${value}${mark}>`
    const reading = new ValueDecoder(text)
    new Tokenizer({ decodeEntities: true }, reading).write(text)
    return reading.parts.join("")
  }

  override onattribdata(start: number, end: number): void {
    this.parts.push(this.text.slice(start, end))
  }

  override onattribentity(code: number): void {
    const character = String.fromCodePoint(code)
    this.parts.push(code < 0x80 ? character : encodeURIComponent(character))
  }
}

/** Escapes a text for use as an attribute value, quoted or not. */
function escaped(text: string): string {
  return text.replace(/[\s&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
