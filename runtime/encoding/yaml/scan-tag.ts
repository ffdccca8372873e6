/** Reads tags, the names of anchors and aliases, and directives. */
import { char, type Cursor, endOfText, isBlank, isBreak, isBreakOrEnd, isDigit, isSpaceOrEnd, isWordCharacter } from "./cursor.ts"
import { YamlSyntaxError } from "./syntax-error.ts"
import type { Token } from "./token.ts"

function takeWord(cursor: Cursor): string {
  let length = 0
  while (isWordCharacter(cursor.code(length))) length++
  const word = cursor.text.slice(cursor.position, cursor.position + length)
  cursor.advance(length)
  return word
}

/** Called at `&` or `*`. Returns the name behind it. */
export function scanAnchor(cursor: Cursor): string {
  cursor.advance()
  const name = takeWord(cursor)
  if (name === "" || !endsAnchor(cursor.code()))
    throw new YamlSyntaxError("did not find expected alphabetic or numeric character", cursor.line + 1)
  return name
}

function endsAnchor(code: number): boolean {
  switch (code) {
    case char.question:
    case char.colon:
    case char.comma:
    case char.closeBracket:
    case char.closeBrace:
    case char.percent:
    case char.at:
    case char.backtick:
      return true
    default:
      return isSpaceOrEnd(code)
  }
}

/** Called at `!`. A handle of "" stands for a tag that is written out, or `!` alone. */
export function scanTag(cursor: Cursor): { handle: string; suffix: string } {
  const tag = cursor.code(1) === char.less ? takeVerbatim(cursor) : takeShorthand(cursor)
  if (!isSpaceOrEnd(cursor.code())) throw new YamlSyntaxError("did not find expected whitespace or line break", cursor.line + 1)
  return tag
}

function takeVerbatim(cursor: Cursor): { handle: string; suffix: string } {
  cursor.advance(2)
  const suffix = takeUri(cursor, "")
  if (cursor.code() !== char.greater) throw new YamlSyntaxError("did not find the expected '>'", cursor.line + 1)
  cursor.advance()
  return { handle: "", suffix }
}

function takeShorthand(cursor: Cursor): { handle: string; suffix: string } {
  const handle = takeHandle(cursor)
  if (handle.length > 1 && handle.endsWith("!")) return { handle, suffix: takeUri(cursor, "") }
  const suffix = takeUri(cursor, handle)
  return suffix === "" ? { handle: "", suffix: handle } : { handle: "!", suffix }
}

/** `!`, `!name!`, or the beginning of `!suffix`. */
function takeHandle(cursor: Cursor): string {
  if (cursor.code() !== char.exclamation) throw new YamlSyntaxError("did not find expected '!'", cursor.line + 1)
  cursor.advance()
  const handle = `!${takeWord(cursor)}`
  if (cursor.code() !== char.exclamation) return handle
  cursor.advance()
  return `${handle}!`
}

const uriCharacters = new Set([...";/?:@&=+$,.!~*'()[]"].map((one) => one.charCodeAt(0)))

/** The characters of a URI, after `head`, the part that was read already. */
function takeUri(cursor: Cursor, head: string): string {
  let uri = head.slice(1)
  let found = head !== ""
  for (;;) {
    const code = cursor.code()
    if (code === char.percent) uri += takeUriEscapes(cursor)
    else if (isWordCharacter(code) || uriCharacters.has(code)) {
      uri += String.fromCharCode(code)
      cursor.advance()
    } else break
    found = true
  }
  if (!found) throw new YamlSyntaxError("did not find expected tag URI", cursor.line + 1)
  return uri
}

/** One character as the escaped octets of its UTF-8. */
function takeUriEscapes(cursor: Cursor): string {
  const octets: number[] = []
  let length = 1
  while (octets.length < length) {
    const digits = cursor.text.slice(cursor.position + 1, cursor.position + 3)
    if (cursor.code() !== char.percent || !/^[0-9a-fA-F]{2}$/.test(digits))
      throw new YamlSyntaxError("did not find URI escaped octet", cursor.line + 1)
    const octet = Number.parseInt(digits, 16)
    if (octets.length === 0) length = octetsOf(octet, cursor.line)
    else if ((octet & 0xc0) !== 0x80) throw new YamlSyntaxError("found an incorrect trailing UTF-8 octet", cursor.line + 1)
    octets.push(octet)
    cursor.advance(3)
  }
  return Buffer.from(octets).toString("utf8")
}

function octetsOf(lead: number, line: number): number {
  if (lead < 0x80) return 1
  if ((lead & 0xe0) === 0xc0) return 2
  if ((lead & 0xf0) === 0xe0) return 3
  if ((lead & 0xf8) === 0xf0) return 4
  throw new YamlSyntaxError("found an incorrect leading UTF-8 octet", line + 1)
}

/** Called at `%` at the start of a line. Returns a version or the prefix of a handle. */
export function scanDirective(cursor: Cursor): Pick<Token, "kind" | "text" | "handle"> {
  cursor.advance()
  const name = takeWord(cursor)
  if (name === "") throw new YamlSyntaxError("could not find expected directive name", cursor.line + 1)
  if (!isSpaceOrEnd(cursor.code())) throw new YamlSyntaxError("found unexpected non-alphabetical character", cursor.line + 1)
  const directive = takeDirective(cursor, name)
  cursor.skipBlanks()
  cursor.skipComment()
  if (!isBreakOrEnd(cursor.code())) throw new YamlSyntaxError("did not find expected comment or line break", cursor.line + 1)
  if (cursor.code() !== endOfText) cursor.takeBreak()
  return directive
}

function takeDirective(cursor: Cursor, name: string): Pick<Token, "kind" | "text" | "handle"> {
  if (name === "YAML") return { kind: "version", text: takeVersion(cursor), handle: "" }
  if (name === "TAG") return { kind: "tagDirective", ...takeTagDirective(cursor) }
  throw new YamlSyntaxError("found unknown directive name", cursor.line + 1)
}

/** `1.1`, without zeros in front of the numbers. */
function takeVersion(cursor: Cursor): string {
  cursor.skipBlanks()
  const major = takeVersionNumber(cursor)
  if (cursor.code() !== char.dot) throw new YamlSyntaxError("did not find expected digit or '.' character", cursor.line + 1)
  cursor.advance()
  return `${major}.${takeVersionNumber(cursor)}`
}

function takeVersionNumber(cursor: Cursor): number {
  let value = 0
  let length = 0
  for (; isDigit(cursor.code()); cursor.advance()) {
    if (++length > 2) throw new YamlSyntaxError("found extremely long version number", cursor.line + 1)
    value = value * 10 + cursor.code() - char.zero
  }
  if (length === 0) throw new YamlSyntaxError("did not find expected version number", cursor.line + 1)
  return value
}

function takeTagDirective(cursor: Cursor): { text: string; handle: string } {
  cursor.skipBlanks()
  const handle = takeHandle(cursor)
  if (handle !== "!" && (handle.length === 1 || !handle.endsWith("!")))
    throw new YamlSyntaxError("did not find expected '!'", cursor.line + 1)
  if (!isBlank(cursor.code())) throw new YamlSyntaxError("did not find expected whitespace", cursor.line + 1)
  cursor.skipBlanks()
  const text = takeUri(cursor, "")
  if (!isBlank(cursor.code()) && !isBreak(cursor.code()) && cursor.code() !== endOfText)
    throw new YamlSyntaxError("did not find expected whitespace or line break", cursor.line + 1)
  return { text, handle }
}
