/** Links in HTML pages that pass through a proxy, rewritten on the way: only the values of known attributes change, all other bytes stay. */
import { Transform, type TransformCallback } from "node:stream"
import { htmlTagBytesMax } from "../limits.ts"

/** Attributes that hold a URL, by element; HTML 4.01's index of attributes and HTML 5's. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
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
}

/** A tag with its attributes; quoted values may hold `>`. */
const tagPattern = /^<([a-z][a-z0-9]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/i
const attributePattern = /([^\s"'=<>/]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g
/** Elements whose content is no markup. */
const rawText = new Set(["script", "style", "textarea", "title"])

/** A stream from the page as it came to the page as it is passed on. `rewrite` is called with the value of each such attribute. */
export function rewriteLinks(rewrite: (link: string) => string): Transform {
  // Latin-1 keeps every byte what it was; markup and links are ASCII.
  const page = new Page(rewrite)
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      done(null, Buffer.from(page.next(chunk.toString("latin1"), false), "latin1"))
    },
    flush(done: TransformCallback) {
      done(null, Buffer.from(page.next("", true), "latin1"))
    },
  })
}

class Page {
  private rest = ""
  /** What ends the part that is passed on as it is: `-->`, `</script`. */
  private until: string | undefined

  constructor(private readonly rewrite: (link: string) => string) {}

  /** What can be passed on after `text`; the beginning of a tag waits for its end. */
  next(text: string, last: boolean): string {
    let left = this.rest + text
    let out = ""
    while (left !== "") {
      const taken = this.until === undefined ? this.markup(left, last) : this.raw(left, this.until, last)
      if (taken.length === 0) break
      out += taken.out
      left = left.slice(taken.length)
    }
    this.rest = left
    return out
  }

  /** Up to the end of a comment or of a raw element; what may be the beginning of its end waits. */
  private raw(left: string, until: string, last: boolean): { out: string; length: number } {
    const end = left.toLowerCase().indexOf(until)
    if (end >= 0) {
      this.until = undefined
      return { out: left.slice(0, end), length: end }
    }
    const length = last ? left.length : Math.max(0, left.length - until.length)
    return { out: left.slice(0, length), length }
  }

  private markup(left: string, last: boolean): { out: string; length: number } {
    const start = left.indexOf("<")
    if (start !== 0) return plain(left, start < 0 ? left.length : start)
    if (left.startsWith("<!--")) {
      this.until = "-->"
      return plain(left, 4)
    }
    const tag = tagPattern.exec(left)
    if (tag === null) {
      const mayGrow = !last && left.length <= htmlTagBytesMax && /^<(?:[a-z]|$|!-?$)/i.test(left)
      return mayGrow ? plain(left, 0) : plain(left, 1)
    }
    const [whole, name = "", attributes = ""] = tag
    const element = name.toLowerCase()
    if (rawText.has(element)) this.until = `</${element}`
    return { out: `<${name}${this.attributes(element, attributes)}>`, length: whole.length }
  }

  private attributes(element: string, text: string): string {
    const known = linkAttributes[element]
    if (known === undefined) return text
    return text.replace(attributePattern, (whole, name: string, equals: string, value: string) => {
      if (!known.includes(name.toLowerCase())) return whole
      const quote = /^["']/.exec(value)?.[0] ?? ""
      const link = quote === "" ? value : value.slice(1, -1)
      return `${name}${equals}${quote}${this.rewrite(link)}${quote}`
    })
  }
}

function plain(text: string, length: number): { out: string; length: number } {
  return { out: text.slice(0, length), length }
}
