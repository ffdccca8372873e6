/** The library of YAML without two of its dangers: recursion as deep as the text, and a stack trace per error. */
import type { Document, DocumentOptions, LineCounter, ParsedNode, Parser, ParseOptions, SchemaOptions } from "yaml"
import { yamlLibrary } from "./lazy-libraries.ts"
import { yamlDepthMax } from "./limits.ts"

/** Entries of the parser's stack besides one per level: the document, and the current scalar. */
const besideLevels = 2

type Token = ReturnType<Parser["end"]> extends Generator<infer One> ? One : never

export interface YamlOptions extends ParseOptions, DocumentOptions, SchemaOptions {
  /** Returns the error for a text that is too deep at this line. */
  readonly tooDeep: (line: number) => Error
}

/**
 * The first document of a text, with its errors; a second one is an error of the first. Undefined if there is none.
 * Throws the error from `tooDeep` for the line at which a text is deeper than `yamlDepthMax`: the library recurses as
 * deeply as the document, and V8 crashes the process when it compiles a regular expression at the end of the stack.
 */
export function composeYaml(text: string, lines: LineCounter, { tooDeep, ...options }: YamlOptions): Document.Parsed | undefined {
  const tokens = tokensOf(text, lines, tooDeep)
  const { Composer, YAMLParseError } = yamlLibrary()
  // The library's own check for repeated keys compares each key of a map with all others.
  const composer = new Composer<ParsedNode, true>({ ...options, uniqueKeys: false, prettyErrors: false })
  const [first, second] = withoutTraces(() => [...composer.compose(tokens, true, text.length)])
  if (second !== undefined) first?.errors.push(new YAMLParseError([second.range[0], second.range[1]], "MULTIPLE_DOCS", "several documents"))
  return first
}

function tokensOf(text: string, lines: LineCounter, tooDeep: YamlOptions["tooDeep"]): Token[] {
  const { Lexer, Parser } = yamlLibrary()
  const parser = new Parser(lines.addNewLine)
  const tokens: Token[] = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > yamlDepthMax + besideLevels) throw tooDeep(lines.linePos(parser.offset).line)
  }
  tokens.push(...parser.end())
  return tokens
}

/**
 * A document may have an error at each character, and capturing a stack trace costs ten times as much as finding the
 * error.
 */
function withoutTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
