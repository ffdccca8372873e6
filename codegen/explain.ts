/**
 * `npm run gen -- --explain <word>`: explains a keyword or function of the dialect, from the same table that checking
 * uses.
 */
import {
  type ExpressionFunction,
  expressionFunctions,
  isMacro,
  type Macro,
  macroDocs,
  macros,
  signatureTexts,
  usage,
} from "../model/expression/functions.ts"
import { dialect, formTitle, placeTitles } from "./load/dialect.ts"
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
  if (known !== undefined) parts.push(functionText(known))
  if (isMacro(word)) parts.push(macroText(word))
  if (formatNames.includes(word)) parts.push(`${word}: a value of format\n  Checked by runtime/schema/formats.ts.`)
  if (parts.length > 0) return { text: parts.join("\n\n") }
  const words = [...new Set([...dialect.map((keyword) => keyword.word), ...expressionFunctions.keys(), ...macros, ...formatNames])].sort()
  const near = nearest(word, words)
  return {
    fault: `unknown word "${word}"${near === undefined ? "" : `; did you mean "${near}"?`}\nKeywords: ${[...new Set(dialect.map((keyword) => keyword.word))].sort().join(", ")}`,
  }
}

function functionText(known: ExpressionFunction): string {
  const [call, result] = known.example
  const lines = [`${known.name}: a function of expressions`, known.doc, ...signatureTexts(known), `Example: ${call} is ${result}`]
  return lines.join("\n  ")
}

function macroText(word: Macro): string {
  const [doc, call, result] = macroDocs[word]
  return [`${word}: a macro of expressions`, doc, usage(word), `Example: ${call} is ${result}`].join("\n  ")
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
