/**
 * The known differences. `differences.tsv` has one line for each: case, step, class, place, and the reason's name in
 * `reasons.yaml`, where a difference on purpose refers to `docs/DEVIATIONS.md`. Differences without a reason are
 * `open`. A difference that is not listed fails the test, and so does a line that is no longer true.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { parse } from "yaml"
import { placeOf } from "./place.ts"
import type { Found } from "./run.ts"

/** A reason, and the differences that it explains: every given part must fit. */
export interface Reason {
  /** A title or the beginning of a paragraph of docs/DEVIATIONS.md. */
  readonly see: string
  readonly why: string
  readonly classes: readonly string[]
  /** The beginning of ids. */
  readonly cases?: string
  /** Texts within the real answer and ours. For warnings: within each one that the other list lacks. */
  readonly real?: string
  readonly ours?: string
}

export type Reasons = Readonly<Record<string, Reason>>

/** The name of the reason, by the key of a difference. */
export type Ledger = ReadonlyMap<string, string>

/** The reason of a difference that is to be mended. */
export const open = "open"

const listFile = new URL("differences.tsv", import.meta.url)
const reasonsFile = new URL("reasons.yaml", import.meta.url)

export const keyOf = (found: Found): string => [found.id, String(found.step), found.class, placeOf(found)].join("\t")

export function readReasons(): Reasons {
  return parse(readFileSync(reasonsFile, "utf8")) as Reasons // The format of the file.
}

export function readLedger(): Ledger {
  const lines = readFileSync(listFile, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf("\t")), line.slice(line.lastIndexOf("\t") + 1)]))
}

/** The name of the first reason that explains a difference; `open` if none does. */
export function reasonOf(found: Found, reasons: Reasons): string {
  return Object.entries(reasons).find(([, reason]) => explains(reason, found))?.[0] ?? open
}

function explains(reason: Reason, found: Found): boolean {
  if (!reason.classes.includes(found.class) || (reason.cases !== undefined && !found.id.startsWith(reason.cases))) return false
  return says(found.real, found.ours, reason.real) && says(found.ours, found.real, reason.ours)
}

function says(value: unknown, other: unknown, text: string | undefined): boolean {
  if (text === undefined) return !Array.isArray(value) || withoutThose(value, other).length === 0 || !isTexts(value)
  if (!Array.isArray(value) || !isTexts(value)) return JSON.stringify(value ?? null).includes(text)
  const own = withoutThose(value, other)
  return own.length > 0 && own.every((one) => String(one).includes(text))
}

const isTexts = (values: readonly unknown[]): boolean => values.length > 0 && values.every((value) => typeof value === "string")

function withoutThose(values: readonly unknown[], others: unknown): unknown[] {
  return values.filter((value) => !(Array.isArray(others) && others.includes(value)))
}

/**
 * Returns the faults: differences that are not listed, lines that no difference fits any more, and differences that
 * their reason does not explain. `ran`: whether a case was sent; lines of others are not judged.
 */
export function faultsOf(found: readonly Found[], ledger: Ledger, reasons: Reasons, ran: (id: string) => boolean): string[] {
  const keys = new Set(found.map(keyOf))
  const stale = [...ledger.keys()].filter((key) => ran(key.slice(0, key.indexOf("\t"))) && !keys.has(key))
  return [
    ...found.flatMap((one) => {
      const listed = ledger.get(keyOf(one))
      const [real, ours] = [one.real, one.ours].map((value) => JSON.stringify(value)?.slice(0, 300))
      if (listed === undefined) return [`new: ${keyOf(one)}: the real server says ${real}, ours ${ours}`]
      if (listed === open) return []
      const reason = reasons[listed]
      return reason !== undefined && explains(reason, one) ? [] : [`${keyOf(one)}: ${listed} does not explain ${real} and ${ours}`]
    }),
    ...stale.map((key) => `no longer so: ${key}`),
  ]
}

/** Reasons that no line refers to. */
export function unusedReasons(ledger: Ledger, reasons: Reasons): string[] {
  const used = new Set(ledger.values())
  return Object.keys(reasons).filter((name) => !used.has(name))
}

/** Writes the list again: the differences found, and the lines of cases that were not sent. */
export function writeLedger(found: readonly Found[], ledger: Ledger, reasons: Reasons, ran: (id: string) => boolean): void {
  const kept = [...ledger].filter(([key]) => !ran(key.slice(0, key.indexOf("\t"))))
  const lines = new Map([...kept, ...found.map((one) => [keyOf(one), reasonOf(one, reasons)] as const)])
  const sorted = [...lines].map(([key, reason]) => `${key}\t${reason}`).sort()
  writeFileSync(listFile, [heading, ...sorted, ""].join("\n"))
}

const heading = "# Written by `npm run real-answers -- --write`: case, step, class, place, reason."
