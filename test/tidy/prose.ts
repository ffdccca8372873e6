/** The English of comments and documents: plain, direct, and no wider than a reader's window. */
import ts from "typescript"

export const proseColumnsMax = 120

/** Habits that cost a reader a second look, each with what to write instead. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/\b(tell|tells|told|telling)\b/i, "write report, log, send, return or say"],
  [/\b(whoever|whomever)\b/i, "name the thing"],
  [/\b(nobody|everybody|anybody)\b/i, "name the thing: no caller, all clients"],
  [/\banew\b/i, "write again"],
  [/(^|[.,:;(] ?|\b(of|to|by|for|from|is|are|than|that) )who\b/i, "name the caller or the client"],
  [/\b(at hand|of its own accord|goes by|told apart|stands for itself)\b/i, "say it plainly"],
  [/(^|[.;:] )Were (it|they|there)\b/, "begin with the subject: If it were ..."],
]

export interface ProseLine {
  readonly line: number
  readonly text: string
}

/** `line: advice` for each habit and each line that is too wide. */
export function proseFaults(lines: readonly ProseLine[]): string[] {
  return lines.flatMap(({ line, text }) => {
    const advice = habits.filter(([habit]) => habit.test(text)).map(([habit, instead]) => `"${habit.exec(text)?.[0].trim()}": ${instead}`)
    if (text.length > proseColumnsMax) advice.push(`${text.length} columns: ${proseColumnsMax} at most`)
    return advice.map((one) => `${line}: ${one}`)
  })
}

/** The lines of a source file that belong to comments, with the code before them. */
export function commentLines(source: string): ProseLine[] {
  const parsed = ts.createSourceFile("source.ts", source, ts.ScriptTarget.ES2022, true)
  const lines = source.split("\n")
  const found = new Map<number, ProseLine>()
  const add = (from: number, to: number): void => {
    const first = parsed.getLineAndCharacterOfPosition(from)
    const last = parsed.getLineAndCharacterOfPosition(to)
    for (let line = first.line; line <= last.line; line++) {
      const text = lines[line] ?? ""
      // A comment beside code is judged by its words; the formatter wraps the code.
      const isBeside = line === first.line && text.slice(0, first.character).trim() !== ""
      found.set(line, { line: line + 1, text: isBeside ? text.slice(first.character) : text })
    }
  }
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ]
    for (const { pos, end } of ranges) add(pos, end)
    node.getChildren(parsed).forEach(visit)
  }
  visit(parsed)
  return [...found.values()].sort((one, other) => one.line - other.line)
}

/** The prose of a document in Markdown: what is neither code nor a table. */
export function documentLines(text: string): ProseLine[] {
  let isCode = false
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    if (isCode || /^\s*(```|~~~|\|)/.test(line)) return []
    // A link or a path cannot be wrapped.
    return [{ line: index + 1, text: /^\S*$/.test(line.trim()) ? "" : line.replaceAll(/`[^`]*`/g, (code) => "x".repeat(code.length)) }]
  })
}
