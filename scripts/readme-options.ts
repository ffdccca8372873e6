/**
 * `npm run fix`: writes the table of options between its two marks in the README. `test/tidy.test.ts` checks that it is
 * current.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { optionsMarkdown } from "../runtime/options/help.ts"

const readme = new URL("../README.md", import.meta.url)
const begin = "<!-- options: written by npm run fix -->"
const end = "<!-- end of options -->"

const text = readFileSync(readme, "utf8")
const [before, rest = ""] = text.split(begin)
const after = rest.split(end)[1]
if (after === undefined) throw new Error(`README.md must hold ${begin} and ${end}`)
writeFileSync(readme, `${before}${begin}\n${optionsMarkdown()}\n${end}${after}`)
