/**
 * The text form of label selectors: `a, !b, c = d, e != f, g in (h, i), j notin (), k > 5`. Grammar and messages follow
 * the reference server; every error also gives its character. Only `parseLabelSelector` calls this.
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = "!" key | key [ operator value | ("in" | "notin") "(" value { "," value } ")" ]
 *     operator    = "=" | "==" | "!=" | ">" | "<"          value may be empty
 */
import { badRequest } from "../base/errors.ts"
import type { ApiError } from "../base/errors.ts"
import { selectorRequirementsMax, selectorValuesMax } from "../base/limits.ts"
import { cut } from "../base/quote.ts"
import type { LabelOperator } from "./label-requirement.ts"

/** One requirement as parsed, keys and values not yet checked. */
export interface ParsedRequirement {
  readonly key: string
  /** 1-based position of the key in the text. */
  readonly at: number
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

interface Token {
  /** `word`: a key, a value, `in` or `notin`, depending on its position. */
  readonly type: "word" | "symbol" | "end"
  readonly text: string
  readonly at: number
}

const blanks = " \t\r\n"
const symbols = "=!(),<>"

const comparisons: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", ">"],
  ["<", "<"],
])

/** Parses a whole selector. Throws ApiError 400. */
export function parseRequirements(text: string): ParsedRequirement[] {
  const tokens = new Tokens(text)
  const requirements: ParsedRequirement[] = []
  let values = 0
  if (tokens.peek().type === "end") return requirements
  if (!tokens.startsRequirement()) throw tokens.unexpected(", expected: !, identifier, or 'end of string'")
  while (true) {
    const requirement = parseRequirement(tokens)
    requirements.push(requirement)
    values += requirement.values.length
    if (requirements.length > selectorRequirementsMax) throw tooManyRequirements("label")
    if (values > selectorValuesMax) throw tooManyValues()
    if (tokens.peek().type === "end") return requirements
    if (!tokens.take(",")) throw tokens.unexpected(", expected: ',' or 'end of string'")
    if (!tokens.startsRequirement()) throw tokens.unexpected(", expected: identifier after ','")
  }
}

function parseRequirement(tokens: Tokens): ParsedRequirement {
  const negated = tokens.take("!")
  const key = tokens.peek()
  if (key.type !== "word") throw tokens.unexpected(", expected: identifier", unparsed)
  tokens.next()
  const head = { key: key.text, at: key.at }
  if (negated) return { ...head, operator: "!", values: [] }
  const operator = tokens.peek()
  if (operator.type === "end" || operator.text === ",") return { ...head, operator: "exists", values: [] }
  if (operator.text === "in" || operator.text === "notin") {
    tokens.next()
    return { ...head, operator: operator.text, values: parseValues(tokens) }
  }
  const comparison = operator.type === "symbol" ? comparisons.get(operator.text) : undefined
  if (comparison === undefined) throw tokens.unexpected(", expected: in, notin, =, ==, !=, >, <", unparsed)
  tokens.next()
  return { ...head, operator: comparison, values: [parseValue(tokens)] }
}

function parseValue(tokens: Tokens): string {
  const value = tokens.peek()
  if (value.type === "end" || value.text === ",") return ""
  if (value.type !== "word") throw tokens.unexpected(", expected: identifier", unparsed)
  return tokens.next().text
}

function parseValues(tokens: Tokens): string[] {
  if (!tokens.take("(")) throw tokens.unexpected(" expected: '('", unparsed)
  const values: string[] = []
  while (true) {
    const word = tokens.peek().type === "word" ? tokens.next().text : ""
    values.push(word)
    if (values.length > selectorValuesMax) throw tooManyValues()
    if (tokens.take(")")) return values
    if (!tokens.take(",")) throw tokens.unexpected(word === "" ? ", expected: ',', ')' or identifier" : ", expected: ',' or ')'", unparsed)
  }
}

export function tooManyRequirements(what: "label" | "field"): ApiError {
  return badRequest(`the ${what} selector has more than ${selectorRequirementsMax} requirements: send fewer, or several requests`)
}

function tooManyValues(): ApiError {
  return badRequest(`the label selector has more than ${selectorValuesMax} values: send fewer, or several requests`)
}

const unparsed = "unable to parse requirement: "

/** Produces tokens one by one, so that a text costs no more than the requirements parsed from it. */
class Tokens {
  private token: Token

  constructor(private readonly text: string) {
    this.token = this.read(0)
  }

  peek(): Token {
    return this.token
  }

  next(): Token {
    const { token } = this
    this.token = this.read(token.at - 1 + token.text.length)
    return token
  }

  private read(from: number): Token {
    const { text } = this
    let start = from
    while (start < text.length && blanks.includes(text.charAt(start))) start++
    if (start === text.length) return { type: "end", text: "", at: start + 1 }
    if (!symbols.includes(text.charAt(start))) {
      let end = start + 1
      while (end < text.length && !symbols.includes(text.charAt(end)) && !blanks.includes(text.charAt(end))) end++
      return { type: "word", text: text.slice(start, end), at: start + 1 }
    }
    const double = text.startsWith("==", start) || text.startsWith("!=", start)
    return { type: "symbol", text: text.slice(start, start + (double ? 2 : 1)), at: start + 1 }
  }

  /** Consumes `symbol` if it is the next token. */
  take(symbol: string): boolean {
    const token = this.peek()
    if (token.type !== "symbol" || token.text !== symbol) return false
    this.next()
    return true
  }

  startsRequirement(): boolean {
    const token = this.peek()
    return token.type === "word" || (token.type === "symbol" && token.text === "!")
  }

  unexpected(expected: string, prefix = ""): ApiError {
    const token = this.peek()
    return badRequest(`${prefix}found '${cut(token.text)}'${expected} (at character ${token.at})`)
  }
}
