/**
 * Links in HTML pages that pass through a proxy, rewritten on the way: only the values of known attributes change, all other bytes stay. Pages
 * come from machines that are not trusted: each byte is looked at once, and nothing but the beginning of a link is held back.
 */
import { Transform, type TransformCallback } from "node:stream"
import type { QuoteType, Tokenizer, TokenizerCallbacks } from "htmlparser2"
import { assert } from "../assert.ts"
import { htmlTagBytesMax } from "../limits.ts"
import { Turns } from "../turns.ts"

/** Attributes that hold a URL, by element: those of `atomsToAttrs` in the reference's proxy. */
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

/** Characters of the longest name above; names that are longer are not looked at. */
const nameCharactersMax = 10

/** The library of `Tokenizer`: 30 ms to load, so only the first page loads it. */
type Library = typeof import("htmlparser2")

/**
 * A stream from the page as it came to the page as it is passed on. `rewrite` is called with the value of each such attribute, character
 * references in its path decoded. Links of more than `htmlTagBytesMax` bytes stay as they are.
 */
export function rewriteLinks(rewrite: (link: string) => string): Transform {
  const turns = new Turns()
  let page: Page | undefined
  const links = new Transform({
    construct(done) {
      import("htmlparser2").then((library) => {
        page = new Page(library, rewrite)
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
      // Latin-1 keeps every byte what it was; markup and links are ASCII.
      links.push(Buffer.from(page.next(chunk.toString("latin1", at, at + sliceBytes)), "latin1"))
      if (turns.isOver(sliceBytes * byteWork + (page.linksSeen - before) * linkWork)) await turns.next()
    }
  }
  return links
}

/** Bytes of a page that are looked at in one go, and microseconds that a byte and a link take: a page of nothing but links takes turns. */
const sliceBytes = 8 * 1024
const byteWork = 0.01
const linkWork = 2

/** What the library tells; every part of it that nobody here listens to is passed over. */
class Tokens implements TokenizerCallbacks {
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

/** The library tells where names and values begin and end, in characters from the beginning of the page, and keeps no text itself. */
class Page extends Tokens {
  private readonly tokenizer: Tokenizer
  private chunk = ""
  /** Where the chunk begins, and what came right before it: a name may have begun there. */
  private chunkAt = 0
  private before = ""
  /** What was passed on or is held back, up to here. */
  private doneAt = 0
  private out: string[] = []
  /** Attributes of the open tag that are links. */
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

  /** What can be passed on after `chunk`. */
  next(chunk: string): string {
    this.chunk = chunk
    this.tokenizer.write(chunk)
    this.passUpTo(this.chunkAt + chunk.length)
    this.before = (chunk.length < nameCharactersMax ? this.before + chunk : chunk).slice(-nameCharactersMax)
    this.chunkAt += chunk.length
    return this.taken()
  }

  /** What is left at the end of the page. */
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

  /** Some of the value, as far as the chunk has it. */
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

  /** In small letters; "" for one that is too long to be known. It ends in this chunk. */
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
    // Those of a query need not be decoded to find the path.
    if (reference < 0 || (query >= 0 && query < reference)) return this.rewrite(value)
    const link = Value.decoded(this.library, value, quote)
    const result = this.rewrite(link)
    return result === link ? value : escaped(result)
  }
}

/** A value without character references. Those of other characters than ASCII's are escaped as in any URL: the page's own encoding stays out of it. */
class Value extends Tokens {
  private readonly parts: string[] = []

  private constructor(private readonly text: string) {
    super()
  }

  static decoded({ QuoteType, Tokenizer }: Library, value: string, quote: QuoteType): string {
    const mark = quote === QuoteType.Double ? '"' : quote === QuoteType.Single ? "'" : ""
    const text = `<a b=${mark}${value}${mark}>`
    const reading = new Value(text)
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

/** As the value of an attribute, quoted or not. */
function escaped(text: string): string {
  return text.replace(/[\s&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
