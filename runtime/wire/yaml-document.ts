/** Parses a YAML document into nodes with the library. */
import type { Document, LineCounter } from "yaml"
import { composeYaml } from "../base/compose-yaml.ts"
import { badRequest } from "../base/errors.ts"

/**
 * Called with the text of a body. The result lists syntax errors in `errors`. Throws ApiError 400 for text deeper than
 * `yamlDepthMax`.
 */
export function readDocument(text: string, lines: LineCounter): Document.Parsed {
  const tooDeep = (line: number): Error => badRequest(`yaml: line ${line}: exceeded max depth`)
  const document = composeYaml(text, lines, { schema: "failsafe", tooDeep })
  if (document === undefined) throw badRequest("yaml: no document")
  return document
}
