/** Reads `--token-auth-file`. Specification section 5; the form is that of kube-apiserver. */
import type { StaticToken } from "../authenticate.ts"

interface Row {
  /** From 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Called at the start and after each change of the file. Each line is `token,user,uid,"group1,group2"`, of which the
 * groups may be absent; empty lines and those that begin with `#` do not count. `warn` gets a message for a token that is
 * there twice, of which the later line counts, and for fields without effect. Throws an Error that names the file and the line.
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

/** A field, up to a comma or the end of the line, with the quotes around it if it has some. */
const field = /[^\S\n]*(?:"((?:[^"]|"")*)"[^\S\n]*|([^",\n]*))(,|\n|$)/y

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
    const first = line
    const fields: string[] = []
    for (let separator = ","; separator === ","; ) {
      field.lastIndex = start
      const match = field.exec(source)
      if (match === null) throw new Error(`${fileName}:${first}: ${faultOfQuotes(source.slice(start, endOfLine(source, start)))}`)
      const [whole, quoted, plain = "", next = ""] = match
      fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
      line += whole.split("\n").length - 1
      start = field.lastIndex
      separator = next
    }
    yield { line: first, fields }
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

function faultOfQuotes(rest: string): string {
  return rest.trimStart().startsWith('"')
    ? 'a quote is not closed, or something follows it; write a quote within quotes as ""'
    : "a field with a quote must be in quotes as a whole"
}
