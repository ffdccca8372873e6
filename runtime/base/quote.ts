/** Texts in messages: cut to a length and quoted as in Go, because clients compare messages. */

import { messageCharactersMax } from "./limits.ts"

/**
 * Returns the beginning of a text, with `...` where it is cut. Called for client texts in a message, before the message
 * is built.
 */
export function cut(text: string, charactersMax = messageCharactersMax): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}...` : text
}

const named: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
}

const plain = /^[ !#-[\]-~]*$/
/** The characters to escape: all except letters, marks, numbers, punctuation, symbols and the space. */
const escaped = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/** `"a\x00b"`. Called for names and values that a client sent. */
export function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : `"${text.replace(escaped, escape)}"`
}

function escape(character: string): string {
  const name = named[character]
  if (name !== undefined) return name
  const code = character.codePointAt(0) ?? 0
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"
  const digits = code.toString(16)
  if (code < 0x80) return `\\x${digits.padStart(2, "0")}`
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`
}

/**
 * `'x'`, `'
 * '`, `'\x1f'`, as Go writes characters. Called for JSON syntax errors, whose text clients know.
 */
export function quoteCharacter(character: string): string {
  const known: Record<string, string> = { "'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" }
  const escaped = known[character]
  if (escaped !== undefined) return `'${escaped}'`
  const code = character.codePointAt(0) ?? 0
  return code < 0x20 || code === 0x7f ? `'\\x${code.toString(16).padStart(2, "0")}'` : `'${character}'`
}
