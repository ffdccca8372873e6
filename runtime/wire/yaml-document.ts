/** Parses a YAML document into nodes with the library. */
import type { Document, LineCounter, ParsedNode } from "yaml"
import { badRequest } from "../base/errors.ts"
import { yamlLibrary } from "../base/lazy-libraries.ts"
import { withoutTraces, yamlTokens } from "../base/yaml-tokens.ts"

/**
 * Called with the text of a body. The result lists syntax errors in `errors`. Throws ApiError 400 for text deeper than
 * `yamlDepthMax`.
 */
export function readDocument(text: string, lines: LineCounter): Document.Parsed {
  const tokens = yamlTokens(text, lines, (line) => badRequest(`yaml: line ${line}: exceeded max depth`))
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
