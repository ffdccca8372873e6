/**
 * Lists the questions: the files of bench/ whose first comment has a `Run:` line, by name, each with the question it
 * answers.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Benchmark {
  readonly name: string
  /** The comment at the top of the file as one paragraph, without the `Run:` line. */
  readonly asks: string
}

/** The folder of the questions. */
export const benchFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Called to list, run and report questions. Sorted by name. */
export function allQuestions(): readonly Benchmark[] {
  return readdirSync(benchFolder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .toSorted()
    .flatMap((file) => {
      const comment = /^\/\*\*(.*?)\*\//s.exec(readFileSync(join(benchFolder, file), "utf8"))?.[1]
      if (comment === undefined || !/\bRun: /.test(comment)) return []
      const asks = comment
        .replace(/^ *\* ?/gm, " ")
        .replace(/\s+/g, " ")
        .replace(/\s*Run: .*$/, "")
        .trim()
      return [{ name: file.slice(0, -".ts".length), asks }]
    })
}
