/**
 * Diagnostics for the author of a schema. The generator collects every error of every file and never prints a stack
 * trace.
 */
import { nearest } from "../../runtime/base/nearest.ts"

/** An error, and what would be valid. */
export interface Fault {
  /** `unknown key "defualt"` */
  readonly found: string
  /** `one of default, doc, ...`; empty when `found` says it all. */
  readonly expected: string
  readonly nearest?: string
}

/** A fault with its position. */
export interface Diagnostic extends Fault {
  /** Relative to the schema folder: `core/v1/pod.yaml`. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
}

/**
 * `schemas/core/v1/pod.yaml:12:7: unknown key "defualt"; expected one of default, ...; did you mean "default"?`
 * `folder` ends with a slash or is empty.
 */
export function formatDiagnostic(diagnostic: Diagnostic, folder = ""): string {
  const { file, line, column, found, expected } = diagnostic
  const parts = [`${folder}${file}:${line}:${column}: ${found}`]
  if (expected !== "") parts.push(`expected ${expected}`)
  if (diagnostic.nearest !== undefined) parts.push(`did you mean "${diagnostic.nearest}"?`)
  return parts.join("; ")
}

/** By file, line, column, text: the order in which diagnostics are printed. */
export function compareDiagnostics(left: Diagnostic, right: Diagnostic): number {
  return (
    compareText(left.file, right.file) ||
    left.line - right.line ||
    left.column - right.column ||
    compareText(left.found, right.found) ||
    compareText(left.expected, right.expected)
  )
}

/** Code-unit order, the same on every machine. Used wherever the generator sorts. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/**
 * The expected part of a fault about a word outside a closed list, with the nearest word. Long lists are not cut, so
 * that the author sees all words.
 */
export function expectedWord(word: string, words: Iterable<string>): { expected: string; nearest?: string } {
  const sorted = [...new Set(words)].toSorted(compareText)
  const near = nearest(word, sorted)
  const expected = sorted.length === 0 ? "nothing here" : sorted.length === 1 ? `${sorted[0] ?? ""}` : `one of ${sorted.join(", ")}`
  return { expected, ...(near !== undefined && { nearest: near }) }
}
