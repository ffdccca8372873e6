/** Writes plain data as a TypeScript expression: on one line where it fits, otherwise one entry per line. */
import { propertyName } from "./print.ts"

/** Code that is copied into data unchanged: `() => podSpecShape`. */
export class Code {
  constructor(readonly text: string) {}
}

/** Plain data with code inside. Omits undefined entries. */
export type Literal =
  | null
  | boolean
  | number
  | bigint
  | string
  | Code
  | readonly Literal[]
  | { readonly [name: string]: Literal | undefined }

const width = 140

/**
 * The text of `value` at an indentation of `indent` spaces; lines after the first are indented. Called by emitters for
 * constants and arguments.
 */
export function literal(value: Literal, indent = 0, lead = 0): string {
  const short = oneLine(value)
  if (indent + lead + short.length <= width || !isContainer(value)) return short
  const inner = " ".repeat(indent + 2)
  const outer = " ".repeat(indent)
  if (isList(value)) return `[\n${value.map((one) => `${inner}${literal(one, indent + 2, 1)},\n`).join("")}${outer}]`
  const lines = defined(value).map(([name, one]) => `${inner}${propertyName(name)}: ${literal(one, indent + 2, name.length + 3)},\n`)
  return `{\n${lines.join("")}${outer}}`
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value)
}

function isContainer(value: Literal): value is readonly Literal[] | { readonly [name: string]: Literal | undefined } {
  return typeof value === "object" && value !== null && !(value instanceof Code)
}

function defined(value: { readonly [name: string]: Literal | undefined }): [string, Literal][] {
  return Object.entries(value).filter((entry): entry is [string, Literal] => entry[1] !== undefined)
}

function oneLine(value: Literal): string {
  if (value instanceof Code) return value.text
  if (typeof value === "bigint") return `${value}n`
  if (!isContainer(value)) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(oneLine).join(", ")}]`
  const entries = defined(value)
  return entries.length === 0 ? "{}" : `{ ${entries.map(([name, one]) => `${propertyName(name)}: ${oneLine(one)}`).join(", ")} }`
}
