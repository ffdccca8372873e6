/**
 * The extended form of field selectors (docs/LISTS.md): any scalar field, and the operators of label selectors. A
 * selector in the plain form means the same here.
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = "!" field | field [ operator value | ("in" | "notin") "(" value { "," value } ")" ]
 *     operator    = "=" | "==" | "!=" | "<" | ">"
 *
 * In values, `\` escapes `\ , = ( ) < > !` and blanks.
 */
import { ApiError, badRequest } from "../base/errors.ts"
import { fieldRequirementsMax, selectorValuesMax } from "../base/limits.ts"
import { absentKey, type Literal, literalTypes, readLiteral } from "./field-key.ts"
import { type FieldReference, type FieldStep, readFieldSteps, resolveField } from "./field-reference.ts"
import { cut } from "../base/quote.ts"
import type { TypeShape } from "../schema/shape.ts"

/** Values that a query reads from one object. */
export interface FieldValues {
  /** Returns one of the kind's own selectable fields as text, "" when absent. */
  text(field: string): string
  /** Returns the key of any other field; see `field-key.ts`. */
  key(field: FieldReference): Buffer
}

export interface FieldQuery {
  readonly empty: boolean
  /** The number of requirements. */
  readonly requirements: number
  matches(values: FieldValues): boolean
  /** Returns the value that a selectable field must have; undefined when it may have several. */
  required(field: string): string | undefined
}

export interface FieldQueryOptions {
  /** The name of the query parameter, for messages. */
  readonly parameter: string
  readonly text: string
  readonly shape: TypeShape
  /** The kind's own selectable fields: equality with them means the same as in the plain form. */
  readonly selectable: ReadonlySet<string>
}

type Operator = "=" | "!=" | "in" | "notin" | "<" | ">" | "exists" | "!"

interface Requirement {
  /** The name, when it is one of the selectable fields. */
  readonly field: string
  readonly steps: readonly FieldStep[]
  readonly operator: Operator
  readonly values: readonly string[]
}

type Test = (values: FieldValues) => boolean

/** Parses a selector once per request. Throws ApiError 400 that names the invalid character, field or value. */
export function parseFieldQuery(options: FieldQueryOptions): FieldQuery {
  const requirements = new QueryReader(options).requirements()
  const tests = requirements.map((requirement) => testOf(requirement, options))
  return {
    empty: tests.length === 0,
    requirements: tests.length,
    matches: (values) => tests.every((test) => test(values)),
    required: (field) => requirements.find((one) => one.field === field && one.operator === "=")?.values[0],
  }
}

class QueryReader {
  private at = 0
  private valuesRead = 0

  constructor(private readonly options: FieldQueryOptions) {}

  requirements(): Requirement[] {
    const found: Requirement[] = []
    for (;;) {
      this.blanks()
      if (this.at >= this.options.text.length) return found
      if (this.take(",")) continue
      if (found.length === fieldRequirementsMax) throw this.fault(`more than ${fieldRequirementsMax} requirements`)
      found.push(this.requirement())
      this.blanks()
      if (this.at < this.options.text.length && !this.take(",")) throw this.fault("expected a comma")
    }
  }

  private requirement(): Requirement {
    const negated = this.take("!")
    if (negated) this.blanks()
    const { parameter, text } = this.options
    const { steps, end } = readFieldSteps({ parameter, text, at: this.at, stops: "=!<>,() \t" })
    this.at = end
    const head = { field: steps.join("."), steps }
    this.blanks()
    const next = text[this.at]
    if (next === undefined || next === ",") return { ...head, operator: negated ? "!" : "exists", values: [] }
    if (negated) throw this.fault("expected a comma: ! stands before a field alone")
    const word = /^(in|notin)[ \t]*\(/.exec(text.slice(this.at))
    if (word !== null) {
      this.at += word[0].length
      return { ...head, operator: word[1] === "in" ? "in" : "notin", values: this.values() }
    }
    return { ...head, ...this.comparison() }
  }

  private comparison(): { operator: Operator; values: string[] } {
    const [symbol] = /^(==|!=|=|<|>)/.exec(this.options.text.slice(this.at)) ?? []
    if (symbol === undefined) throw this.fault("expected one of =, ==, !=, <, >, in (...), notin (...)")
    this.at += symbol.length
    const value = this.value(",", false)
    if (symbol === "<" || symbol === ">") return { operator: symbol, values: [value.trim()] }
    return { operator: symbol === "!=" ? "!=" : "=", values: [value] }
  }

  private values(): string[] {
    const values: string[] = []
    for (;;) {
      values.push(this.value(",)", true))
      if (++this.valuesRead > selectorValuesMax) throw this.fault(`more than ${selectorValuesMax} values`)
      if (this.take(")")) return values
      if (!this.take(",")) throw this.fault("expected a comma or )")
    }
  }

  /** Blanks around a value in a list are ignored. */
  private value(stops: string, trimmed: boolean): string {
    const { text } = this.options
    if (trimmed) this.blanks()
    let value = ""
    let meant = 0
    for (let character = text[this.at]; character !== undefined && !stops.includes(character); character = text[this.at]) {
      if (character === "=") throw this.fault("a = in a value is written \\=")
      this.at++
      if (character !== "\\") value += character
      else {
        const escaped = text[this.at++] ?? ""
        if (escaped === "" || !"\\,=()<>! \t".includes(escaped)) throw this.fault(`\\${escaped} means nothing`)
        value += escaped
        meant = value.length
      }
    }
    return trimmed ? value.slice(0, meant) + value.slice(meant).trimEnd() : value
  }

  private take(character: string): boolean {
    if (this.options.text[this.at] !== character) return false
    this.at++
    return true
  }

  private blanks(): void {
    while (this.take(" ") || this.take("\t"));
  }

  private fault(what: string): ApiError {
    const { parameter, text } = this.options
    return badRequest(`query parameter ${parameter}: ${JSON.stringify(cut(text))}: ${what} (at character ${this.at + 1})`)
  }
}

function testOf(requirement: Requirement, options: FieldQueryOptions): Test {
  const { field, operator, values } = requirement
  const own = options.selectable.has(field)
  if (own && (operator === "=" || operator === "!=" || operator === "in" || operator === "notin")) {
    const accepted = new Set(values)
    const wanted = operator === "=" || operator === "in"
    return (object) => accepted.has(object.text(field)) === wanted
  }
  const reference = own ? fieldIfAny(requirement, options) : fieldOf(requirement, options)
  return reference === undefined ? textTest(requirement) : keyTest(requirement, reference, options)
}

function fieldOf({ steps }: Requirement, { parameter, shape }: FieldQueryOptions): FieldReference {
  return resolveField({ parameter, shape, steps })
}

/** Some selectable fields are computed (`source` of events) and are not fields of the object. */
function fieldIfAny(requirement: Requirement, options: FieldQueryOptions): FieldReference | undefined {
  try {
    return fieldOf(requirement, options)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function textTest({ field, operator, values }: Requirement): Test {
  const [value = ""] = values
  switch (operator) {
    case "<":
      return (object) => object.text(field) !== "" && object.text(field) < value
    case ">":
      return (object) => object.text(field) > value
    default:
      return (object) => (object.text(field) !== "") === (operator === "exists")
  }
}

function keyTest(requirement: Requirement, reference: FieldReference, options: FieldQueryOptions): Test {
  const { operator, values } = requirement
  if (operator === "exists" || operator === "!") return (object) => object.key(reference).length > 0 === (operator === "exists")
  if (operator === "<" || operator === ">") {
    const [value = ""] = values
    const sign = operator === "<" ? -1 : 1
    const { order } = literal(value, reference, options)
    return (object) => isOnSide(object.key(reference), order, sign)
  }
  const accepted = values.flatMap((value) => acceptedKeys(value, reference, options)).sort(Buffer.compare)
  const wanted = operator === "=" || operator === "in"
  return (object) => includesKey(accepted, object.key(reference)) === wanted
}

/** Values of another type than the literal, which untyped fields may hold, are neither smaller nor larger. */
function isOnSide(key: Buffer, literal: Buffer, sign: number): boolean {
  return key.length > 0 && typeOfKey(key) === typeOfKey(literal) && Buffer.compare(key, literal) === sign
}

function typeOfKey(key: Buffer): number {
  return (key[0] ?? 0) & 0xf0
}

/** An empty value also matches an absent field, as in the plain form. */
function acceptedKeys(value: string, reference: FieldReference, options: FieldQueryOptions): readonly Buffer[] {
  if (value !== "") return literal(value, reference, options).keys
  return [absentKey, ...(readLiteral("", reference.scalar)?.keys ?? [])]
}

function literal(value: string, reference: FieldReference, options: FieldQueryOptions): Literal {
  const read = readLiteral(value, reference.scalar)
  if (read !== undefined) return read
  const expected = literalTypes[reference.scalar] ?? "another value"
  throw badRequest(
    `query parameter ${options.parameter}: ${reference.path} is compared with ${expected}, not with ${JSON.stringify(cut(value))}`,
  )
}

/** `keys` is sorted. */
function includesKey(keys: readonly Buffer[], wanted: Buffer): boolean {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const compared = Buffer.compare(keys[middle] ?? absentKey, wanted)
    if (compared === 0) return true
    if (compared < 0) low = middle + 1
    else high = middle
  }
  return false
}
