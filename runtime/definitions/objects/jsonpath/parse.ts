/**
 * Parses JSONPath as client-go's util/jsonpath does. Reads the text once, character by character; texts inside of
 * brackets and filters are read again, once per level, and levels are limited.
 */
import { unquote } from "./quoted.ts"
import { PathSyntaxError, type Slice, type Step, type Steps } from "./path.ts"

/** Levels of nested unions and filters. */
const depthMax = 16
/** Characters of a path. Definitions hold up to 3 MB; no real path has 1,000 characters. */
const lengthMax = 16_384

/**
 * Parses the JSONPath of a column or a selectable field: `.spec.replicas`. Only the first action counts, as in the
 * reference: the rest of `.a}{.b` must parse, but has no effect. Throws PathSyntaxError.
 */
export function parsePath(text: string): Steps {
  if (text.length > lengthMax) throw new PathSyntaxError(`a path has at most ${lengthMax} characters`)
  return parseAction(text, 0)
}

function parseAction(text: string, depth: number): Steps {
  if (depth > depthMax) throw new PathSyntaxError(`unions and filters are at most ${depthMax} deep`)
  return new PathParser(`{${text}}`, depth).template()[0] ?? []
}

/** End of the text. */
const end = ""

class PathParser {
  private at = 0

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  /** The actions in braces; text between them is skipped. */
  template(): Steps[] {
    const actions: Steps[] = []
    for (let open = this.text.indexOf("{"); open >= 0; open = this.text.indexOf("{", this.at)) {
      this.at = open + 1
      actions.push(this.action())
    }
    return actions
  }

  private take(): string {
    const code = this.text.codePointAt(this.at)
    if (code === undefined) return end
    const character = String.fromCodePoint(code)
    this.at += character.length
    return character
  }

  private peek(): string {
    const code = this.text.codePointAt(this.at)
    return code === undefined ? end : String.fromCodePoint(code)
  }

  /** Reads up to and including the closing brace. */
  private action(): Steps {
    const steps: Step[] = []
    for (;;) {
      if (this.text.startsWith("}", this.at)) {
        this.at++
        return steps
      }
      if (this.text.startsWith("[?(", this.at)) steps.push(this.filter())
      else if (this.text.startsWith("..", this.at)) this.descent(steps)
      else this.plain(steps)
    }
  }

  private plain(steps: Step[]): void {
    const start = this.at
    const character = this.take()
    if (character === end || isEndOfLine(character)) throw new PathSyntaxError("unclosed action")
    if (character === " " || character === "@" || character === "$") return
    if (character === "[") steps.push(...this.brackets())
    else if (character === '"' || character === "'") steps.push(literal(this.quoted(start, character)))
    else if (character === ".") steps.push(this.field())
    else if (character === "+" || character === "-" || isDigit(character)) steps.push(this.number(start))
    else if (isWordCharacter(character)) steps.push(this.word(start))
    else throw new PathSyntaxError(`unrecognized character in action: ${characterText(character)}`)
  }

  private descent(steps: Step[]): void {
    if (steps.at(-1)?.step === "descent") throw new PathSyntaxError("invalid multiple recursive descent")
    this.at += 2
    steps.push({ step: "descent" })
    if (isWordCharacter(this.peek())) steps.push(this.field())
  }

  /** A backslash escapes the next character. */
  private field(): Step {
    const start = this.at
    for (let character = this.peek(); !isTerminator(character); character = this.peek()) {
      this.take()
      if (character === "\\") this.take()
    }
    const name = this.text.slice(start, this.at)
    return name === "*" ? { step: "wildcard" } : { step: "field", name: name.replaceAll("\\", "") }
  }

  private word(start: number): Step {
    while (!isTerminator(this.peek())) this.take()
    const word = this.text.slice(start, this.at)
    return word === "true" || word === "false" ? literal(word === "true") : { step: "word", word }
  }

  private number(start: number): Step {
    while (this.peek() === "." || isDigit(this.peek())) this.take()
    const text = this.text.slice(start, this.at)
    const value = Number(text)
    if (Number.isNaN(value) || !/[0-9]/.test(text)) throw new PathSyntaxError(`cannot parse number ${text}`)
    return { step: "literal", value, isFloat: text.includes(".") }
  }

  private quoted(start: number, quote: string): string {
    for (let character = this.take(); ; character = this.take()) {
      if (character === end || character === "\n") throw new PathSyntaxError("unterminated quoted string")
      if (character === quote && this.text.charAt(this.at - 2) !== "\\") break
    }
    return unquote(this.text.slice(start, this.at))
  }

  /** `[0]`, `[1:3]`, `[*]`, `['name']`, or several with commas between them. */
  private brackets(): Steps {
    const close = this.text.indexOf("]", this.at)
    const line = this.text.indexOf("\n", this.at)
    if (close < 0 || (line >= 0 && line < close)) throw new PathSyntaxError("unterminated array")
    const text = this.text.slice(this.at, close)
    this.at = close + 1
    const parts = text.split(",")
    if (parts.length > 1) return [{ step: "union", of: parts.map((part) => parseAction(`[${trimBlanks(part)}]`, this.depth + 1)) }]
    if (text.length >= 2 && text.startsWith("'") && text.endsWith("'") && !text.slice(1, -1).includes("'"))
      return parseAction(`.${text.slice(1, -1)}`, this.depth + 1)
    return [{ step: "slice", slice: sliceOf(text === "*" ? ":" : text) }]
  }

  /** `[?(@.name == 'a')]`, or without an operator: the value exists. */
  private filter(): Step {
    this.at += 3
    const start = this.at
    this.filterEnd()
    const text = this.text.slice(start, this.at - 1)
    if (this.take() !== "]") throw new PathSyntaxError("unclosed array expect ]")
    const parts = comparison(text)
    if (parts === undefined) return { step: "filter", left: parseAction(text, this.depth + 1), right: [], operator: "exists" }
    const [left, operator, right] = parts
    return { step: "filter", left: parseAction(left, this.depth + 1), right: parseAction(right, this.depth + 1), operator }
  }

  /** Moves behind the closing parenthesis, skipping the first quoted text. */
  private filterEnd(): void {
    let quote = ""
    let isClosed = false
    for (;;) {
      const character = this.take()
      if (character === end || character === "\n") throw new PathSyntaxError("unterminated filter")
      if (character === '"' || character === "'") {
        if (quote === "") quote = character
        else if (character === quote && this.text.charAt(this.at - 2) !== "\\") isClosed = true
      } else if (character === ")" && (quote !== "") === isClosed) return
    }
  }
}

function literal(value: string | boolean): Step {
  return { step: "literal", value, isFloat: false }
}

/** Splits at the first run of `!<>=`; both sides have at least one character. */
function comparison(text: string): readonly [string, string, string] | undefined {
  let from = 0
  while (from < text.length && !"!<>=".includes(text.charAt(from))) from++
  let to = from
  while (to < text.length && "!<>=".includes(text.charAt(to))) to++
  // If nothing follows, the last character of the run is the right side.
  if (to === text.length) to--
  return from === 0 || to <= from || text.slice(to).includes("\n") ? undefined : [text.slice(0, from), text.slice(from, to), text.slice(to)]
}

const sliceSyntax = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/

function sliceOf(text: string): Slice {
  const [, first = "", second = "", third = ""] = sliceSyntax.exec(text) ?? []
  if (!sliceSyntax.test(text)) throw new PathSyntaxError(`invalid array index ${text}`)
  const from = indexOf(first)
  const isOne = second === ""
  return { from, to: isOne ? (from ?? 0) + 1 : indexOf(second.slice(1)), isOne, by: indexOf(third.slice(1)) }
}

function indexOf(text: string): number | undefined {
  if (text === "") return undefined
  const index = Number(text)
  if (!Number.isSafeInteger(index)) throw new PathSyntaxError(`array index ${text} is not a number`)
  return index
}

function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && text.charAt(from) === " ") from++
  while (to > from && text.charAt(to - 1) === " ") to--
  return text.slice(from, to)
}

function isEndOfLine(character: string): boolean {
  return character === "\r" || character === "\n"
}

function isTerminator(character: string): boolean {
  return character === end || " \t\r\n.,[]$@{}".includes(character)
}

function isDigit(character: string): boolean {
  return /^\p{Nd}$/u.test(character)
}

function isWordCharacter(character: string): boolean {
  return character === "_" || /^[\p{L}\p{Nd}]$/u.test(character)
}

/** `U+0023 '#'` */
function characterText(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
  return `U+${code} '${character}'`
}
