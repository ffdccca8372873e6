/** The text of a YAML document as nodes, by the library. What is nested too deeply never comes to its recursion. */
import { Composer, type Document, Lexer, LineCounter, Parser, type ParsedNode, YAMLParseError } from "yaml"
import { badRequest } from "../errors.ts"
import { yamlDepthMax } from "../limits.ts"

/** Entries of the parser's stack besides one for each level: the document, and the scalar that is read. */
const besideLevels = 2

/**
 * Called with the text of a body. Faults of its syntax are in the answer's `errors`. Throws ApiError 400 for text that nests deeper than
 * `yamlDepthMax`: the library recurses as deeply as a document does, and an engine that compiles an expression where its stack ends, ends the
 * process.
 */
export function readDocument(text: string, lines: LineCounter): Document.Parsed {
  const tokens = tokensOf(text, lines)
  const composer = new Composer<ParsedNode, true>({
    schema: "failsafe",
    // The library's own check of repeated keys takes quadratic time.
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

/** A document may have a fault at each character, and where in our code each was found costs ten times as much as finding it. */
function withoutTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
