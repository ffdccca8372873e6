/** Quoted texts of JSONPath, with the escapes of Go. */
import { PathSyntaxError } from "./path.ts"

const named: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\\": "\\" }
const digitsOf: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** The text within the quotes, which are its first and last characters. Throws PathSyntaxError for a wrong escape. */
export function unquote(quoted: string): string {
  const quote = quoted.charAt(0)
  const inside = quoted.slice(1, -1)
  if (!inside.includes("\\")) return inside
  let text = ""
  for (let at = 0; at < inside.length; ) {
    const character = inside.charAt(at)
    if (character !== "\\") {
      text += character
      at++
      continue
    }
    const escape = readEscape(inside, at + 1, quote)
    if (escape === undefined) throw new PathSyntaxError(`unquote string ${quoted} error invalid syntax`)
    text += escape.text
    at = escape.next
  }
  return text
}

/** The character of an escape; undefined for an invalid escape. */
function readEscape(text: string, at: number, quote: string): { readonly text: string; readonly next: number } | undefined {
  const letter = text.charAt(at)
  if (letter === quote) return { text: letter, next: at + 1 }
  const plain = Object.hasOwn(named, letter) ? named[letter] : undefined
  if (plain !== undefined) return { text: plain, next: at + 1 }
  if (letter >= "0" && letter <= "7")
    return ofCode(Number.parseInt(text.slice(at, at + 3), 8), at + 3, /^[0-7]{3}$/.test(text.slice(at, at + 3)))
  const digits = Object.hasOwn(digitsOf, letter) ? digitsOf[letter] : undefined
  if (digits === undefined) return undefined
  const code = text.slice(at + 1, at + 1 + digits)
  return ofCode(Number.parseInt(code, 16), at + 1 + digits, code.length === digits && /^[0-9A-Fa-f]+$/.test(code))
}

function ofCode(code: number, next: number, isWhole: boolean): { readonly text: string; readonly next: number } | undefined {
  const isCharacter = isWhole && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? { text: String.fromCodePoint(code), next } : undefined
}
