/**
 * `gen --explain [word]`: explains a keyword or function of the dialect, or lists all of them, from the same table that
 * checking uses.
 */
import { programText } from "../runtime/base/program-text.ts"
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

/** All keywords, functions and macros, one a line with a sentence each, and all formats. */
export function explainAll(): string {
  const meanings = new Map<string, Keyword[]>()
  for (const keyword of dialect) meanings.set(keyword.word, [...(meanings.get(keyword.word) ?? []), keyword])
  return [
    listed(
      "Keywords",
      [...meanings].map(([word, all]) => [word, all.map(({ doc }) => firstSentence(doc)).join(" / ")]),
    ),
    listed(
      "Functions of expressions",
      [...expressionFunctions.values()].map(({ name, doc }) => [name, firstSentence(doc)]),
    ),
    listed(
      "Macros of expressions",
      macros.map((word) => [word, firstSentence(macroDocs[word][0])]),
    ),
    `Formats\n  ${formatNames.toSorted().join(" ")}`,
    `${programText("gen", "--explain WORD")} shows each meaning of a word, with an example.`,
  ].join("\n\n")
}

function listed(title: string, lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([word]) => word.length))
  const sorted = lines.toSorted(([left], [right]) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1))
  return [title, ...sorted.map(([word, text]) => `  ${word.padEnd(width)} ${text}`)].join("\n")
}

function firstSentence(text: string): string {
  const [sentence = ""] = text.split(/(?<=\.)\s/)
  return sentence.replaceAll("\n", " ")
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
