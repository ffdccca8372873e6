/**
 * Finds values in the bytes of valid JSON without parsing it. Keys that are looked up consist of letters and digits.
 */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./punctuation.ts"

/** Index of the value of `key` in the object that starts at `at`; -1 when the object has no such key. */
export function valueOfKey(json: Buffer, at: number, key: string): number {
  if (json[at] !== openBrace) return -1
  let position = skipSpace(json, at + 1)
  while (position < json.length && json[position] !== closeBrace) {
    const keyEnd = endOfString(json, position)
    const found = keyEnd - position === key.length + 2 && json.toString("latin1", position + 1, keyEnd - 1) === key
    position = skipSpace(json, keyEnd)
    if (json[position] !== colon) return -1
    position = skipSpace(json, position + 1)
    if (found) return position
    position = skipSpace(json, endOfValue(json, position))
    if (json[position] === comma) position = skipSpace(json, position + 1)
  }
  return -1
}

/** The bytes of the metadata in an object's JSON; undefined if it has none. */
export function metadataIn(json: Buffer): Buffer | undefined {
  const start = valueOfKey(json, 0, "metadata")
  return start < 0 ? undefined : json.subarray(start, endOfValue(json, start))
}

/** Index of the first byte from `at` that is not white space. */
export function skipSpace(json: Buffer, at: number): number {
  let position = at
  for (let byte = json[position]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = json[position]) position++
  return position
}

/** Index after the closing quote of the string that opens at `at`. */
export function endOfString(json: Buffer, at: number): number {
  let position = at + 1
  while (position < json.length && json[position] !== quote) position += json[position] === backslash ? 2 : 1
  return position + 1
}

/** Index after the value that starts at `at`. */
export function endOfValue(json: Buffer, at: number): number {
  let depth = 0
  let position = at
  while (position < json.length) {
    const byte = json[position]
    if (byte === quote) {
      position = endOfString(json, position)
      if (depth === 0) return position
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return position
      depth--
      if (depth === 0) return position + 1
    } else if (byte === comma && depth === 0) return position
    position++
  }
  return position
}
