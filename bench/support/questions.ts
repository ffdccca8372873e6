/** Which questions there are: the files of bench/ that say how they are run, by name, each with what it asks. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Question {
  readonly name: string
  /** The comment at the top of the file, as one paragraph and without the line that says how to run it. */
  readonly asks: string
}

/** The folder of the questions. */
export const benchFolder = dirname(dirname(fileURLToPath(import.meta.url)))

/** Called by those who list, run and report. By name. */
export function allQuestions(): readonly Question[] {
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
