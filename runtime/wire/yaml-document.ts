/** Parses a YAML document into nodes with the library. Text that is nested too deeply never reaches its recursion. */
import type { Document, LineCounter, ParsedNode, Parser } from "yaml"
import { badRequest } from "../base/errors.ts"
import { yamlLibrary } from "../base/lazy-libraries.ts"
import { yamlDepthMax } from "../base/limits.ts"

/** Entries of the parser's stack besides one per level: the document, and the current scalar. */
const besideLevels = 2

/**
 * Called with the text of a body. The result lists syntax errors in `errors`. Throws ApiError 400 for text deeper than
 * `yamlDepthMax`: the library recurses as deeply as the document, and V8 crashes the process when it compiles a regular
 * expression at the end of the stack.
 */
export function readDocument(text: string, lines: LineCounter): Document.Parsed {
  const tokens = tokensOf(text, lines)
  const { Composer, YAMLParseError } = yamlLibrary()
  const composer = new Composer<ParsedNode, true>({
    schema: "failsafe",
    // The library's own check for repeated keys takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
  })
  const [first, second] = withoutTraces(() => [...composer.compose(tokens, true, text.length)])
  if (first === undefined) throw badRequest("yaml: no document")
  if (second !== undefined) first.errors.push(new YAMLParseError([second.range[0], second.range[1]], "MULTIPLE_DOCS", "several documents"))
  return first
}

type Token = ReturnType<Parser["end"]> extends Generator<infer One> ? One : never

function tokensOf(text: string, lines: LineCounter): Token[] {
  const { Lexer, Parser } = yamlLibrary()
  const parser = new Parser(lines.addNewLine)
  const tokens: Token[] = []
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > yamlDepthMax + besideLevels)
      throw badRequest(`yaml: line ${lines.linePos(parser.offset).line}: exceeded max depth`)
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
