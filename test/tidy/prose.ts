/** The English of comments and documents: plain, direct, and no wider than a reader's window. */
import ts from "typescript"

/** Names of this module: every access through an import costs a test a call, and these run for every node. */
const { createSourceFile, forEachChild, isLiteralExpression, isTemplateHead, isTemplateMiddleOrTemplateTail, ScriptTarget } = ts

export const proseColumnsMax = 120

/** Habits that cost a reader a second look, each with advice. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/\b(tell|tells|told|telling)\b/i, "write report, log, send, return or say"],
  [/\b(whoever|whomever)\b/i, "name the thing"],
  [/\b(nobody|everybody|anybody)\b/i, "name the thing: no caller, all clients"],
  [/\banew\b/i, "write again"],
  [/(^|[.,:;(] ?|\b(of|to|by|for|from|is|are|than|that) )who\b/i, "name the caller or the client"],
  [/\b(at hand|of its own accord|goes by|told apart|stands for itself)\b/i, "say it plainly"],
  [/(^|[.;:] )Were (it|they|there)\b/, "begin with the subject: If it were ..."],
]

/** A habit of comments: a pronoun in place of the noun that a search would find. */
const missingNoun = /\b(those|that) of\b/i

export interface ProseLine {
  readonly line: number
  readonly text: string
}

/** Advice for each habit in a text, whose code is left out. */
export function habitFaults(text: string): string[] {
  return habits.filter(([habit]) => habit.test(text)).map(([habit, instead]) => `"${habit.exec(text)?.[0].trim()}": ${instead}`)
}

/** `line: advice` for each habit and each line that is too wide. */
export function proseFaults(lines: readonly ProseLine[]): string[] {
  return lines.flatMap(({ line, text }) => {
    const advice = habitFaults(text)
    if (text.length > proseColumnsMax) advice.push(`${text.length} columns: ${proseColumnsMax} at most`)
    return advice.map((one) => `${line}: ${one}`)
  })
}

/** As `proseFaults`, for the lines of comments. */
export function commentFaults(lines: readonly ProseLine[]): string[] {
  const nounless = lines.filter(({ text }) => missingNoun.test(text))
  return [...proseFaults(lines), ...nounless.map(({ line }) => `${line}: "those of", "that of": name the thing, as in "the fields of"`)]
}

/**
 * The lines of the comments of a source file. A comment beside code begins with its sign, others with their line.
 * `parsed` saves callers that have the tree another parse.
 */
export function commentLines(source: string, parsed: ts.SourceFile = parse(source)): ProseLine[] {
  const found: ProseLine[] = []
  let line = 1
  let counted = 0
  for (const { from, to } of comments(source, parsed)) {
    for (let at = counted; at < from; at++) if (source[at] === "\n") line++
    const lineStart = source.lastIndexOf("\n", from - 1) + 1
    const lineEnd = source.indexOf("\n", to)
    // A comment beside code is judged by its words and its own width; the formatter wraps the code.
    const isBeside = source.slice(lineStart, from).trim() !== ""
    const texts = source.slice(isBeside ? from : lineStart, lineEnd < 0 ? source.length : lineEnd).split("\n")
    found.push(...texts.map((text, index) => ({ line: line + index, text: withoutCode(text) })))
    counted = from
  }
  return found
}

/**
 * The ranges of comments in order. Finds them by their signs outside of literals, which takes a tenth of the time that
 * asking the compiler for the comments of every token takes.
 */
function comments(source: string, parsed: ts.SourceFile): { readonly from: number; readonly to: number }[] {
  const literals = literalEnds(parsed)
  const signs = /\/\/[^\n]*|\/\*[^]*?\*\/|["'`/}]/g
  const found: { from: number; to: number }[] = []
  for (let match = signs.exec(source); match !== null; match = signs.exec(source)) {
    const end = literals.get(match.index)
    if (end !== undefined) signs.lastIndex = end
    else if (match[0].length > 1) found.push({ from: match.index, to: match.index + match[0].length })
  }
  return found
}

/** The ends of strings, regular expressions and parts of templates, by where they begin. */
function literalEnds(parsed: ts.SourceFile): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const visit = (node: ts.Node): void => {
    if (isLiteralExpression(node) || isTemplateHead(node) || isTemplateMiddleOrTemplateTail(node))
      ends.set(node.getStart(parsed), node.getEnd())
    forEachChild(node, visit)
  }
  visit(parsed)
  return ends
}

function parse(source: string): ts.SourceFile {
  return createSourceFile("source.ts", source, ScriptTarget.ES2022)
}

/** Names in backticks are code, whose words are not judged. */
export function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`/g, (code) => "x".repeat(code.length))
}

/** The prose of a document in Markdown, without code and tables. */
export function documentLines(text: string): ProseLine[] {
  let isCode = false
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    if (isCode || /^\s*(```|~~~|\|)/.test(line)) return []
    // A link or a path cannot be wrapped.
    return [{ line: index + 1, text: /^\S*$/.test(line.trim()) ? "" : withoutCode(line) }]
  })
}
