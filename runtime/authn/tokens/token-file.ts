/** Reads `--token-auth-file`, whose format is kube-apiserver's. Specification section 5. */
import type { StaticToken } from "../authenticate.ts"

interface Row {
  /** Counted from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Called at the start and after each change of the file. Each line is `token,user,uid,"group1,group2"`, where the
 * groups may be absent; empty lines and lines that begin with `#` are ignored. `warn` gets a message for a repeated
 * token, of which the later line counts, and for fields without effect. Throws an Error that names the file and the
 * line.
 */
export function parseTokenFile(text: string, fileName: string, warn: (message: string) => void = () => undefined): StaticToken[] {
  const tokens = new Map<string, StaticToken>()
  const lines = new Map<string, number>()
  for (const { line, fields } of rowsOf(text, fileName)) {
    const place = `${fileName}:${line}`
    const [token = "", name = "", uid = "", groups = ""] = fields
    if (fields.length < 3) throw new Error(`${place}: expected token,user,uid and optional groups, found ${count(fields.length, "field")}`)
    if (token === "" || name === "")
      throw new Error(`${place}: expected token,user,uid and optional groups, and the ${token === "" ? "token" : "user"} is empty`)
    if (fields.length > 4) warn(`${place}: fields from the fifth on have no effect; put several groups in quotes`)
    const before = lines.get(token)
    if (before !== undefined) warn(`${place}: the token is that of line ${before} as well; it is ${JSON.stringify(name)}'s now`)
    lines.set(token, line)
    const user = { name, uid, groups: listed(groups), extra: {} }
    tokens.set(token, { token, user })
  }
  return [...tokens.values()]
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`
}

function listed(groups: string): string[] {
  return groups
    .split(",")
    .map((group) => group.trim())
    .filter((group) => group !== "")
}

/** Comma-separated values, RFC 4180. A field in quotes may contain commas, line breaks, and quotes as two. */
function* rowsOf(text: string, fileName: string): Generator<Row> {
  const source = text.replaceAll("\r\n", "\n")
  let line = 1
  let start = 0
  while (start < source.length) {
    const end = endOfLine(source, start)
    const written = source.slice(start, end)
    if (written.trim() === "" || written.startsWith("#")) {
      start = end + 1
      line++
      continue
    }
    const fields: string[] = []
    const first = line
    for (let separator = ","; separator === ","; ) {
      const taken = takeField(source, start)
      if (taken === undefined) throw new Error(`${fileName}:${first}: ${faultOfQuotes}`)
      fields.push(taken.field)
      line += source.slice(start, taken.end + 1).split("\n").length - 1
      separator = source[taken.end] ?? "\n"
      start = taken.end + 1
    }
    yield { line: first, fields }
  }
}

/** The field at a position, and the position of the comma or line break behind it. Undefined for wrong quotes. */
function takeField(source: string, start: number): { field: string; end: number } | undefined {
  const from = skipBlanks(source, start)
  if (source[from] !== '"') {
    let end = from
    while (end < source.length && source[end] !== "," && source[end] !== "\n") end++
    const field = source.slice(from, end)
    return field.includes('"') ? undefined : { field: field.trim(), end }
  }
  let close = source.indexOf('"', from + 1)
  while (close >= 0 && source[close + 1] === '"') close = source.indexOf('"', close + 2)
  const end = skipBlanks(source, close + 1)
  if (close < 0 || (end < source.length && source[end] !== "," && source[end] !== "\n")) return undefined
  return { field: source.slice(from + 1, close).replaceAll('""', '"'), end }
}

function skipBlanks(source: string, from: number): number {
  let at = from
  while (source[at] === " " || source[at] === "\t") at++
  return at
}

const faultOfQuotes = 'a quote is not closed, or stands within a field; a field with a quote is in quotes as a whole, with "" for each'

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}
