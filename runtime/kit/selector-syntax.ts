/**
 * The text form of label selectors: `a, !b, c = d, e != f, g in (h, i), j notin (), k > 5`. Grammar and texts follow the
 * reference server; every fault also says at which character it was met. Only `parseLabelSelector` calls this.
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = "!" key | key [ operator value | ("in" | "notin") "(" value { "," value } ")" ]
 *     operator    = "=" | "==" | "!=" | ">" | "<"          value may be empty
 */
import { badRequest } from "../errors.ts"
import type { ApiError } from "../errors.ts"
import type { LabelOperator } from "./selector.ts"

/** One requirement as written, keys and values not yet checked. */
export interface ParsedRequirement {
  readonly key: string
  /** 1-based character of the key in the text. */
  readonly at: number
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

interface Token {
  /** `word`: a key, a value, `in` or `notin`, depending on where it stands. */
  readonly type: "word" | "symbol" | "end"
  readonly text: string
  readonly at: number
}

const comparisons: ReadonlyMap<string, LabelOperator> = new Map([
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", ">"],
  ["<", "<"],
])

/** Reads a whole selector. Throws ApiError 400. */
export function parseRequirements(text: string): ParsedRequirement[] {
  const tokens = new Tokens(text)
  const requirements: ParsedRequirement[] = []
  if (tokens.peek().type === "end") return requirements
  if (!tokens.startsRequirement()) throw tokens.unexpected("expected: !, identifier, or 'end of string'")
  while (true) {
    requirements.push(parseRequirement(tokens))
    if (tokens.peek().type === "end") return requirements
    if (!tokens.take(",")) throw tokens.unexpected("expected: ',' or 'end of string'")
    if (!tokens.startsRequirement()) throw tokens.unexpected("expected: identifier after ','")
  }
}

function parseRequirement(tokens: Tokens): ParsedRequirement {
  const negated = tokens.take("!")
  const key = tokens.peek()
  if (key.type !== "word") throw tokens.unexpected("expected: identifier", unparsed)
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
  if (comparison === undefined) throw tokens.unexpected("expected: in, notin, =, ==, !=, >, <", unparsed)
  tokens.next()
  return { ...head, operator: comparison, values: [parseValue(tokens)] }
}

function parseValue(tokens: Tokens): string {
  const value = tokens.peek()
  if (value.type === "end" || value.text === ",") return ""
  if (value.type !== "word") throw tokens.unexpected("expected: identifier", unparsed)
  return tokens.next().text
}

function parseValues(tokens: Tokens): string[] {
  if (!tokens.take("(")) throw tokens.unexpected("expected: '('", unparsed)
  const values: string[] = []
  while (true) {
    const word = tokens.peek().type === "word" ? tokens.next().text : ""
    values.push(word)
    if (tokens.take(")")) return values
    if (!tokens.take(",")) throw tokens.unexpected(word === "" ? "expected: ',', ')' or identifier" : "expected: ',' or ')'", unparsed)
  }
}

const unparsed = "unable to parse requirement: "

class Tokens {
  private readonly tokens: Token[] = []
  private position = 0

  constructor(private readonly text: string) {
    const pattern = /[ \t\r\n]+|==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g
    for (const match of text.matchAll(pattern)) {
      const [word] = match
      if (/^[ \t\r\n]/.test(word)) continue
      this.tokens.push({ type: /^[=!(),<>]/.test(word) ? "symbol" : "word", text: word, at: match.index + 1 })
    }
  }

  peek(): Token {
    return this.tokens[this.position] ?? { type: "end", text: "", at: this.text.length + 1 }
  }

  next(): Token {
    const token = this.peek()
    this.position += 1
    return token
  }

  /** Moves past `symbol` when it stands here. */
  take(symbol: string): boolean {
    const token = this.peek()
    if (token.type !== "symbol" || token.text !== symbol) return false
    this.position += 1
    return true
  }

  startsRequirement(): boolean {
    const token = this.peek()
    return token.type === "word" || (token.type === "symbol" && token.text === "!")
  }

  unexpected(expected: string, prefix = ""): ApiError {
    const token = this.peek()
    return badRequest(`${prefix}found '${token.text}', ${expected} (at character ${token.at})`)
  }
}
