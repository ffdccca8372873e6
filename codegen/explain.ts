/**
 * `npm run gen -- --explain <word>`: explains a keyword or function of the dialect, from the same table that checking
 * uses.
 */
import { expressionFunctions, macros } from "./load/functions.ts"
import { dialect, formTitle, placeTitles } from "./load/dialect.ts"
import { usage } from "./load/expression.ts"
import { formatNames } from "./load/formats.ts"
import { nearest } from "../runtime/base/nearest.ts"
import type { Keyword } from "./load/keyword.ts"

export type Explanation = { readonly text: string } | { readonly fault: string }

/**
 * Called with the word as the author typed it. Explains a word with several meanings once per place; for an unknown
 * word suggests the nearest.
 */
export function explain(word: string): Explanation {
  const parts = dialect.filter((keyword) => keyword.word === word).map(keywordText)
  const known = expressionFunctions.get(word)
  if (known !== undefined) parts.push(`${word}: a function of expressions\n  ${usage(word)}\n  ${known.doc}`)
  if (macros.some((macro) => macro === word))
    parts.push(`${word}: a macro of expressions\n  list.${word}(item, expression)\n  ${macroDocs[word] ?? ""}`)
  if (formatNames.includes(word)) parts.push(`${word}: a value of format\n  Checked by runtime/schema/formats.ts.`)
  if (parts.length > 0) return { text: parts.join("\n\n") }
  const words = [...new Set([...dialect.map((keyword) => keyword.word), ...expressionFunctions.keys(), ...macros, ...formatNames])].sort()
  const near = nearest(word, words)
  return {
    fault: `unknown word "${word}"${near === undefined ? "" : `; did you mean "${near}"?`}\nKeywords: ${[...new Set(dialect.map((keyword) => keyword.word))].sort().join(", ")}`,
  }
}

const macroDocs: Readonly<Record<string, string>> = {
  all: "True when the expression is true for every item; over a map the variable is the key.",
  exists: "True when the expression is true for some item.",
  existsOne: "True when the expression is true for exactly one item.",
  filter: "The items for which the expression is true.",
  map: "The values of the expression for each item.",
}

function keywordText(keyword: Keyword): string {
  const places = keyword.places.map((place) => placeTitles[place]).join(", ")
  const lines = [
    `${keyword.word}: in ${places}${requirement(keyword)}`,
    keyword.doc,
    `Value: ${formTitle(keyword.value)}`,
    "Example:",
    ...keyword.example.split("\n").map((line) => `  ${line}`),
  ]
  return lines.join("\n  ")
}

function requirement({ required = false }: Keyword): string {
  if (required === false) return ""
  return required === true ? " (required)" : ` (required without ${required.unless})`
}
