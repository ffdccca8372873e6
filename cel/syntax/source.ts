import type { Issue } from "../issue.ts"
import type { Position } from "./expr.ts"

const described = "<input>"
/** Longer lines are not shown below a message. */
const snippetMax = 16_384
const reportedMax = 100
/** Units of the text between two kept counts: the most units that finding a position has to count. */
const unitsPerBlock = 256

/** The text of an expression, with positions counted in code points. */
export class Source {
  /** Where each line begins, in UTF-16 units. */
  private readonly lineStarts: number[] = [0]
  /** The second halves of characters before each block of the text; absent when no character has two units. */
  private readonly secondHalves: readonly number[] | undefined

  constructor(readonly text: string) {
    this.secondHalves = /[\ud800-\udbff][\udc00-\udfff]/.test(text) ? secondHalvesByBlock(text) : undefined
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.lineStarts.push(at + 1)
  }

  /** The position of a unit of the text. */
  position(index: number): Position {
    let line = 0
    for (let high = this.lineStarts.length - 1; line < high; ) {
      const middle = (line + high + 1) >> 1
      if ((this.lineStarts[middle] ?? 0) <= index) line = middle
      else high = middle - 1
    }
    const start = this.lineStarts[line] ?? 0
    return { offset: this.count(0, index), line: line + 1, column: this.count(start, index) }
  }

  /**
   * The position that the reference reports for a node: the first column of a line counts as the end of the line
   * before.
   */
  checkedPosition(position: Position): Pick<Issue, "line" | "column"> {
    if (position.column > 0 || position.line === 1) return position
    const start = this.lineStarts[position.line - 2] ?? 0
    return { line: position.line - 1, column: this.count(start, this.lineStarts[position.line - 1] ?? 0) }
  }

  /** Issues as users read them, in the order of the text, each with its line and a mark below. */
  format(issues: readonly Issue[]): string {
    const sorted = issues.toSorted((one, other) => one.line - other.line || one.column - other.column)
    const texts = sorted.slice(0, reportedMax).map((issue) => this.formatOne(issue))
    if (sorted.length > reportedMax) texts.push(`${sorted.length - reportedMax} more errors were truncated`)
    return texts.join("\n")
  }

  private formatOne({ line, column, message }: Issue): string {
    const head = `ERROR: ${described}:${line}:${column + 1}: ${message}`
    const shown = this.line(line)
    if (shown === undefined || Buffer.byteLength(shown) > snippetMax) return head
    const characters = Array.from(shown.replaceAll("\t", " "))
    const before = characters.slice(0, column).map((character) => (character > "\x7f" ? "．" : "."))
    const mark = (characters[column] ?? "") > "\x7f" ? "＾" : "^"
    return `${head}\n | ${characters.join("")}\n | ${before.join("")}${mark}`
  }

  private line(line: number): string | undefined {
    const start = this.lineStarts[line - 1]
    if (start === undefined || this.text === "") return undefined
    const next = this.lineStarts[line]
    return this.text.slice(start, next === undefined ? undefined : next - 1)
  }

  private count(from: number, to: number): number {
    const skipped = this.secondHalvesBefore(to) - this.secondHalvesBefore(from)
    return to - from - skipped + (to > from && isSecondHalf(this.text, from) && this.secondHalves !== undefined ? 1 : 0)
  }

  /** The number of second halves before a unit. Counts at most one block: a source has as many positions as tokens. */
  private secondHalvesBefore(index: number): number {
    if (this.secondHalves === undefined) return 0
    const block = Math.floor(index / unitsPerBlock)
    let count = this.secondHalves[block] ?? 0
    for (let at = block * unitsPerBlock; at < index; at++) if (isSecondHalf(this.text, at)) count++
    return count
  }
}

function secondHalvesByBlock(text: string): number[] {
  const counts: number[] = []
  let count = 0
  for (let at = 0; at <= text.length; at++) {
    if (at % unitsPerBlock === 0) counts.push(count)
    if (isSecondHalf(text, at)) count++
  }
  return counts
}

function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
