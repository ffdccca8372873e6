/** The library of YAML without two of its dangers: recursion as deep as the text, and a stack trace per error. */
import type { LineCounter, Parser } from "yaml"
import { yamlLibrary } from "./lazy-libraries.ts"
import { yamlDepthMax } from "./limits.ts"

/** Entries of the parser's stack besides one per level: the document, and the current scalar. */
const besideLevels = 2

export type YamlToken = ReturnType<Parser["end"]> extends Generator<infer One> ? One : never

/**
 * Throws what `tooDeep` makes of the line at which a text is deeper than `yamlDepthMax`: the library recurses as deeply
 * as the document, and V8 crashes the process when it compiles a regular expression at the end of the stack.
 */
export function yamlTokens(text: string, lines: LineCounter, tooDeep: (line: number) => Error): YamlToken[] {
  const { Lexer, Parser } = yamlLibrary()
  const parser = new Parser(lines.addNewLine)
  const tokens: YamlToken[] = []
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
export function withoutTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
