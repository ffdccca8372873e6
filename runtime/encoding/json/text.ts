/**
 * Reads and writes JSON without the losses of `JSON.parse`: integers beyond 2^53 become `bigint`, repeated fields are
 * reported with their paths, depth is limited, and `__proto__` is an ordinary name. Messages are the reference's (Go's
 * decoder) plus the offset.
 */
import { documentDepthMax, messageCharactersMax, objectFieldsMax, strictErrorsMax, turnValues } from "../../base/limits.ts"
import type { Stages } from "../../base/turns.ts"
import { parsePlain, parseUntracked } from "./built-in.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { forceDictionaryMode, manyFields } from "./many-fields.ts"
import { SeenFields } from "./repeats.ts"
import { quoteCharacter } from "../../base/quote.ts"
import { tooManyFields, tooManyValues, unboundedValues, type ValueCount } from "../value-bounds.ts"

/** The text is not JSON. `message` says what was found and where; `offset` counts characters from 0. */
export class JsonSyntaxError extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message)
    this.name = "JsonSyntaxError"
  }
}

export interface ParseOptions {
  /** Reports repeated fields and fractions. Off: the built-in parser may read the text and report nothing. */
  readonly trackDuplicates?: boolean
  /** Limit for nested lists and objects; default `documentDepthMax`. */
  readonly maxDepth?: number
  /**
   * Limit for the number of lists, objects and scalars; beyond it, or beyond `objectFieldsMax` fields in one object,
   * the parser throws ApiError 413. Default: unlimited, for text that this server has written.
   */
  readonly maxValues?: number
}

/** The limits of a parser. */
export type DocumentBounds = Required<Pick<ParseOptions, "maxDepth" | "maxValues">>

export interface ParsedJson {
  readonly value: JsonValue
  /** Paths of repeated fields in the order of their repetition, each once: `spec.containers[0].name`. */
  readonly duplicates: string[]
  /** Numbers with a fraction or an exponent, whose spelling matters too; at most `strictErrorsMax`. */
  readonly fractions: Fraction[]
}

/** Integer fields refuse it even if its value is whole; in a quantity, its spelling decides the form. */
export interface Fraction {
  readonly steps: readonly (string | number)[]
  /** As written: `1.0`, `1e3`. */
  readonly text: string
}

/**
 * Called for every JSON body and for stored values. Throws JsonSyntaxError. Bytes that were not UTF-8 arrive as U+FFFD,
 * as in the reference.
 */
export function parseJson(text: string, options: ParseOptions = {}): ParsedJson {
  const bounds = boundsOf(options)
  const value = options.trackDuplicates === true ? parsePlain(text, bounds) : parseUntracked(text, bounds)
  if (value !== undefined) return { value, duplicates: [], fractions: [] }
  const parser = new JsonParser(text, bounds)
  return { value: parser.document(), duplicates: parser.duplicates, fractions: parser.fractions }
}

/** Like `parseJson` with `trackDuplicates`, in steps of `turnValues`. Called for bodies. */
export function* parsingJson(text: string, options: ParseOptions = {}): Stages<ParsedJson> {
  const bounds = boundsOf(options)
  const value = parsePlain(text, bounds)
  if (value !== undefined) return { value, duplicates: [], fractions: [] }
  const parser = new JsonParser(text, bounds)
  return { value: yield* parser.reading(), duplicates: parser.duplicates, fractions: parser.fractions }
}

/** Parses JSON embedded in a document of another encoding; its values count towards that document's limit. */
export function parseJsonCounted(text: string, count: ValueCount): JsonValue {
  const parser = new JsonParser(text, { maxDepth: documentDepthMax, maxValues: count.limit }, count.used)
  const value = parser.document()
  count.used = parser.values
  return value
}

function boundsOf({ maxDepth = documentDepthMax, maxValues = unboundedValues }: ParseOptions): DocumentBounds {
  return { maxDepth, maxValues }
}

/** Writes JSON, with the built-in serializer unless there is a `bigint`. Omits `undefined` fields. */
export function stringify(value: JsonValue): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return stringifyExactly(value)
  }
}

function stringifyExactly(value: JsonValue): string {
  if (typeof value === "bigint") return value.toString()
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const parts: string[] = []
  for (const name of Object.keys(value)) {
    const field = value[name]
    if (field !== undefined) parts.push(`${JSON.stringify(name)}:${stringifyExactly(field)}`)
  }
  return `{${parts.join(",")}}`
}

/**
 * Writes a path from its steps, names and list indices: `spec.containers[0].name`. Stops at `messageCharactersMax` + 1
 * characters; the extra character shows the caller that the path is longer.
 */
export function pathText(steps: readonly (string | number)[]): string {
  const most = messageCharactersMax + 1
  let text = ""
  for (const step of steps) {
    if (text.length >= most) break
    if (typeof step === "number") text += `[${step}]`
    else text += (text === "" ? step : `.${step}`).slice(0, most)
  }
  return text.slice(0, most)
}

/** Sets a field even if its name is `__proto__`, which plain assignment would treat as the prototype. */
export function setField(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

const escapeLetters = '"\\/bfnrtu'
const numberSyntax = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON texts must not hold them
const plainString = /[^"\\\u0000-\u001f]*/y
const loopCharacters = 64
/** Integers of up to this many digits stay exact; longer ones exceed every integer type. */
export const exactDigitsMax = 64

/**
 * Reads one document; a repeated field replaces the earlier one. The parser in `typed-json.ts` extends it with types.
 * Open containers are on an explicit stack, so a long document can be read in steps.
 */
export class JsonParser {
  readonly duplicates: string[] = []
  readonly fractions: Fraction[] = []
  /** From the root to the current value. */
  protected readonly steps: (string | number)[] = []
  protected at = 0
  private readonly containers: (JsonObject | JsonValue[])[] = []
  /** The number of fields of each open container; 0 for lists. */
  private readonly fields: number[] = []
  private result: JsonValue = null
  private digitNames = 0
  private readonly repeats = new SeenFields()

  constructor(
    protected readonly text: string,
    private readonly bounds: DocumentBounds,
    /** Values read so far, including earlier parts of the same document. */
    public values = 0,
  ) {}

  document(): JsonValue {
    this.read(this.bounds.maxValues)
    return this.result
  }

  /** Like `document`, in steps. */
  *reading(): Stages<JsonValue> {
    while (!this.read(turnValues)) yield
    return this.result
  }

  /** Reads up to `count` values, each counted at its start; true once the document has ended. */
  private read(count: number): boolean {
    const { maxValues } = this.bounds
    const until = Math.min(this.values + count, maxValues)
    while (this.values < until) {
      this.values++
      const value = this.value()
      if (value !== undefined && this.put(value)) return true
    }
    if (until === maxValues) throw tooManyValues(maxValues)
    return false
  }

  /** Reads a value and moves past it. Undefined: it opened a container, whose first value is next. */
  private value(): JsonValue | undefined {
    this.space()
    switch (this.text.charCodeAt(this.at)) {
      case 0x22:
        return this.string()
      case 0x7b:
        return this.object()
      case 0x5b:
        return this.list()
      case 0x74:
        return this.word("true", true)
      case 0x66:
        return this.word("false", false)
      case 0x6e:
        return this.word("null", null)
      default:
        return this.number()
    }
  }

  /** Adds a value to its container, and each completed container to its own. True at the end of the document. */
  private put(value: JsonValue): boolean {
    for (let whole = value; ; ) {
      const container = this.containers[this.containers.length - 1]
      if (container === undefined) return this.end(whole)
      if (Array.isArray(container)) {
        container.push(whole)
        if (this.nextItem(container)) return false
      } else {
        this.setField(container, whole)
        if (this.nextField(container)) return false
      }
      this.at++
      this.containers.pop()
      this.fields.pop()
      this.steps.pop()
      whole = container
    }
  }

  private end(value: JsonValue): boolean {
    this.result = value
    this.space()
    if (this.at < this.text.length) throw this.fault("after top-level value")
    return true
  }

  private object(): JsonObject | undefined {
    const object: JsonObject = {}
    this.open(object)
    this.space()
    if (this.text.charCodeAt(this.at) === 0x7d) return this.closeEmpty(object)
    this.key(object)
    return undefined
  }

  /** Reads the name of a field and moves to its value. */
  private key(object: JsonObject): void {
    this.space()
    if (this.text.charCodeAt(this.at) !== 0x22) throw this.fault("looking for beginning of object key string")
    const name = this.string()
    // A repeated field replaces the earlier one, so it does not count.
    if (!(name in object)) this.countField()
    this.space()
    if (this.text.charCodeAt(this.at) !== 0x3a) throw this.fault("after object key")
    this.at++
    this.steps[this.steps.length - 1] = name
    this.beforeField(object, name)
  }

  private countField(): void {
    const last = this.fields.length - 1
    const count = (this.fields[last] ?? 0) + 1
    if (count > objectFieldsMax && this.bounds.maxValues !== unboundedValues) throw tooManyFields()
    this.fields[last] = count
  }

  /** Called after the value of a field: reads the name of the next one; false when there is none. */
  private nextField(object: JsonObject): boolean {
    this.space()
    const code = this.text.charCodeAt(this.at)
    if (code === 0x7d) return false
    if (code !== 0x2c) throw this.fault("after object key:value pair")
    this.at++
    this.key(object)
    return true
  }

  /** Called after reading the name of a field, the last of `steps`. */
  protected beforeField(object: JsonObject, name: string): void {
    // An inherited name (`constructor`) passes only the first test.
    if (object[name] !== undefined && Object.hasOwn(object, name)) this.repeated(object, name)
  }

  /** Sets the field named by the last of `steps`. */
  protected setField(object: JsonObject, value: JsonValue): void {
    const name = String(this.steps[this.steps.length - 1])
    if (startsWithDigit(name) && ++this.digitNames % manyFields === 0) forceDictionaryMode(object)
    if (name === "__proto__") setField(object, name, value)
    else object[name] = value
  }

  private repeated(object: JsonObject, name: string): void {
    if (this.duplicates.length >= strictErrorsMax || !this.repeats.isFirst(object, name)) return
    const path = pathText(this.steps)
    if (!this.duplicates.includes(path)) this.duplicates.push(path)
  }

  private list(): JsonValue[] | undefined {
    const list: JsonValue[] = []
    this.open(list)
    this.space()
    if (this.text.charCodeAt(this.at) === 0x5d) return this.closeEmpty(list)
    this.steps[this.steps.length - 1] = 0
    this.beforeItem()
    return undefined
  }

  /** Called after an item: true when another one follows. */
  private nextItem(list: JsonValue[]): boolean {
    this.space()
    const code = this.text.charCodeAt(this.at)
    if (code === 0x5d) return false
    if (code !== 0x2c) throw this.fault("after array element")
    this.at++
    this.steps[this.steps.length - 1] = list.length
    this.beforeItem()
    return true
  }

  /** Called before an item of a list is read. */
  protected beforeItem(): void {
    // Only the typed parser needs the type of an item.
  }

  private open(container: JsonObject | JsonValue[]): void {
    if (this.steps.length >= this.bounds.maxDepth) throw this.fault("exceeded max depth")
    this.containers.push(container)
    this.fields.push(0)
    this.steps.push("")
    this.at++
  }

  private closeEmpty<T>(value: T): T {
    this.containers.pop()
    this.fields.pop()
    this.steps.pop()
    this.at++
    return value
  }

  private string(): string {
    const { text } = this
    const start = this.at + 1
    let end = start
    // For most strings a loop finds the end faster than a pattern.
    for (const near = start + loopCharacters; end < near; end++) {
      const code = text.charCodeAt(end)
      if (code === 0x22) {
        this.at = end + 1
        return text.slice(start, end)
      }
      if (code === 0x5c || !(code >= 0x20)) return this.escapedString(start, end)
    }
    plainString.lastIndex = end
    plainString.test(text)
    end = plainString.lastIndex
    if (text.charCodeAt(end) !== 0x22) return this.escapedString(start, end)
    this.at = end + 1
    return text.slice(start, end)
  }

  /** Reads a string that has an escape, a control character or no end at `end`, with the built-in parser. */
  private escapedString(start: number, end: number): string {
    const close = this.closingQuote(end)
    try {
      const value: string = JSON.parse(this.text.slice(start - 1, close + 1))
      this.at = close + 1
      // A lone surrogate has no UTF-8 form; the reference writes U+FFFD for it too.
      return value.toWellFormed()
    } catch {
      this.at = end
      throw this.stringFault()
    }
  }

  /** Finds the closing quote of the current string; past the end of the text where there is none. */
  private closingQuote(from: number): number {
    const { text } = this
    for (let at = from; ; at++) {
      at = text.indexOf('"', at)
      if (at < 0) return text.length
      let escapes = at
      while (text.charCodeAt(escapes - 1) === 0x5c) escapes--
      if ((at - escapes) % 2 === 0) return at
    }
  }

  /** The error in the current string, from the current position. */
  private stringFault(): JsonSyntaxError {
    for (;;) {
      plainString.lastIndex = this.at
      plainString.test(this.text)
      this.at = plainString.lastIndex
      if (this.text.charCodeAt(this.at) !== 0x5c) return this.fault("in string literal")
      this.at++
      const letter = this.text[this.at] ?? ""
      if (letter === "" || !escapeLetters.includes(letter)) return this.fault("in string escape code")
      this.at++
      if (letter !== "u") continue
      for (let digit = 0; digit < 4; digit++, this.at++)
        if (!/^[0-9a-fA-F]$/.test(this.text[this.at] ?? "")) return this.fault("in \\u hexadecimal character escape")
    }
  }

  protected number(): JsonValue {
    const small = this.smallNumber()
    if (small !== undefined) return small
    numberSyntax.lastIndex = this.at
    const match = numberSyntax.exec(this.text)
    if (match === null) throw this.numberFault()
    const start = this.at
    this.at = numberSyntax.lastIndex
    const [text, fraction, exponent] = match
    const next = this.text.charCodeAt(this.at)
    // A digit after a leading zero, or a dot or an exponent that the pattern did not match.
    if ((next >= 0x30 && next <= 0x39) || next === 0x2e || next === 0x65 || next === 0x45) throw this.numberTailFault(text)
    const value = Number(text)
    if (Number.isSafeInteger(value) || fraction !== undefined || exponent !== undefined || !Number.isFinite(value)) {
      if (!Number.isFinite(value)) throw new JsonSyntaxError(`cannot read number ${text} as a double at offset ${start}`, start)
      if (fraction !== undefined || exponent !== undefined) this.fractional(text)
      return value
    }
    // Beyond the integers of any type; building a bigint from many digits takes more than linear time.
    return text.length > exactDigitsMax ? value : BigInt(text)
  }

  private fractional(text: string): void {
    if (this.fractions.length < strictErrorsMax) this.fractions.push({ steps: [...this.steps], text })
  }

  /** Reads a short integer without a pattern or a substring. Undefined, with nothing consumed, for other numbers. */
  private smallNumber(): number | undefined {
    let at = this.at
    let value = this.text.charCodeAt(at++) - 0x30
    if (!(value >= 1 && value <= 9)) return undefined
    for (const end = at + 8; at < end; at++) {
      const code = this.text.charCodeAt(at)
      if (code >= 0x30 && code <= 0x39) value = value * 10 + code - 0x30
      else if (code === 0x2c || code === 0x7d || code === 0x5d) {
        this.at = at
        return value
      } else return undefined
    }
    return undefined
  }

  private numberFault(): JsonSyntaxError {
    if (this.text.charCodeAt(this.at) !== 0x2d) return this.fault("looking for beginning of value")
    this.at++
    return this.fault("in numeric literal")
  }

  private numberTailFault(text: string): JsonSyntaxError {
    const character = this.text[this.at] ?? ""
    if (character === "." && !/[.eE]/.test(text)) {
      this.at++
      return this.fault("after decimal point in numeric literal")
    }
    if ((character === "e" || character === "E") && !/[eE]/.test(text)) {
      this.at += /^[-+]$/.test(this.text[this.at + 1] ?? "") ? 2 : 1
      return this.fault("in exponent of numeric literal")
    }
    return this.fault(this.steps.length === 0 ? "after top-level value" : "after number")
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      let matched = 1
      while (this.text[this.at + matched] === word[matched]) matched++
      this.at += matched
      throw this.fault(`in literal ${word} (expecting ${quoteCharacter(word[matched] ?? "")})`)
    }
    this.at += word.length
    return value
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private fault(context: string): JsonSyntaxError {
    const point = this.text.codePointAt(this.at)
    if (point === undefined) return new JsonSyntaxError("unexpected end of JSON input", this.at)
    return new JsonSyntaxError(`invalid character ${quoteCharacter(String.fromCodePoint(point))} ${context} at offset ${this.at}`, this.at)
  }
}

function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0)
  return code >= 0x30 && code <= 0x39
}
