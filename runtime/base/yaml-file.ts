/** Parses the YAML of files that configure the server, in linear time. Bodies of requests: `wire/yaml.ts`. */
import type { Document, LineCounter, YAMLParseError } from "yaml"
import { composeYaml } from "./compose-yaml.ts"
import { yamlLibrary } from "./lazy-libraries.ts"

export interface YamlFile {
  /** Has an error for each fault of the syntax, and after them one for the first repeated key. */
  readonly document: Document.Parsed
  readonly lines: LineCounter
}

/** Throws an Error for a text that is nested too deeply. */
export function parseYamlFile(text: string): YamlFile {
  const lines = new (yamlLibrary().LineCounter)()
  const tooDeep = (line: number): Error => new Error(`line ${line} is nested too deeply`)
  const document = composeYaml(text, lines, { logLevel: "error", tooDeep })
  if (document === undefined) throw new Error("it has no document")
  const repeated = firstRepeatedKey(document)
  if (repeated !== undefined) document.errors.push(repeated)
  return { document, lines }
}

function firstRepeatedKey(document: Document.Parsed): YAMLParseError | undefined {
  const { isScalar, visit, YAMLParseError } = yamlLibrary()
  let fault: YAMLParseError | undefined
  visit(document, {
    Map(_place, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          const [start = 0, end = 0] = key.range ?? []
          fault = new YAMLParseError([start, end], "DUPLICATE_KEY", "Map keys must be unique")
          return visit.BREAK
        }
        seen.add(key.value)
      }
      return undefined
    },
  })
  return fault
}
