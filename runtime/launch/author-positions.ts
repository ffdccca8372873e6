/**
 * Positions in an author's TypeScript: code of `--api` runs as one bundle in memory, and an error names the bundle's
 * lines. Node maps stacks only of modules that it has loaded itself, so this module maps stacks where they are shown.
 */
import { SourceMap } from "node:module"
import { dirname, join, relative } from "node:path"

const maps = new Map<string, SourceMap>()

const inlineMap = /\n\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/

/** Called once per bundle, before it runs. `file`: the name under which it runs. `code` ends with its source map. */
export function rememberPositions(file: string, code: string): void {
  const encoded = inlineMap.exec(code)?.[1]
  if (encoded !== undefined) maps.set(file, new SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString("utf8"))))
}

/** Returns a stack with the authors' files, relative to the working directory, in place of bundles. */
export function withAuthorPositions(stack: string): string {
  let text = stack
  for (const [file, map] of maps) {
    const parts = text.split(`${file}:`)
    const rest = parts.slice(1).map((part) => {
      const [position = "", line = "", column = ""] = /^(\d+):(\d+)/.exec(part) ?? []
      return `${originOf(file, map, Number(line), Number(column)) ?? `${file}:${position}`}${part.slice(position.length)}`
    })
    text = [parts[0], ...rest].join("")
  }
  return text
}

function originOf(file: string, map: SourceMap, line: number, column: number): string | undefined {
  const origin = map.findOrigin(line, column)
  if (!("fileName" in origin)) return undefined
  return `${relative(process.cwd(), join(dirname(file), origin.fileName))}:${origin.lineNumber}:${origin.columnNumber}`
}
