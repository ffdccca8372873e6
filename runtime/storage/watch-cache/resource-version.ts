/**
 * Replaces `metadata.resourceVersion` in an object's JSON without parsing it: a deleted object is shown with the
 * revision of its deletion (specification section 4.4; the reference does the same), and a delete must not cost a
 * decode. The walk looks only at the keys of the root and of `metadata`, so text elsewhere that looks like a
 * resourceVersion (an involved object, an annotation) is never touched, and it ends at the first hit: in the usual
 * key order it reads little more than `metadata`.
 */

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c
const colon = 0x3a

/**
 * Called for the object of a DELETED event. Answers a copy of `json` that says `revision`; throws when `json` is not an
 * object with a textual `metadata.resourceVersion`, which a ResourceCodec guarantees.
 */
export function withResourceVersion(json: Buffer, revision: number): Buffer {
  const metadata = valueOfKey(json, skipSpace(json, 0), "metadata")
  const text = metadata < 0 ? -1 : valueOfKey(json, metadata, "resourceVersion")
  if (text < 0 || json[text] !== quote) throw new Error("the object's JSON has no metadata.resourceVersion")
  const end = endOfString(json, text)
  return Buffer.concat([json.subarray(0, text + 1), Buffer.from(String(revision), "latin1"), json.subarray(end - 1)])
}

/** Called for the newest state of many objects: their labels, from JSON of a ResourceCodec, of which only what stands before them is looked at. */
export function labelsInJson(json: Buffer): Record<string, string> {
  const metadata = valueOfKey(json, skipSpace(json, 0), "metadata")
  const labels = metadata < 0 ? -1 : valueOfKey(json, metadata, "labels")
  return labels < 0 ? {} : (JSON.parse(json.toString("utf8", labels, endOfValue(json, labels))) ?? {})
}

/** Index of the value of `key` in the object that starts at `at`; -1 when there is none. */
function valueOfKey(json: Buffer, at: number, key: string): number {
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

function skipSpace(json: Buffer, at: number): number {
  let position = at
  for (let byte = json[position]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = json[position]) position++
  return position
}

/** Index after the closing quote of the string that opens at `at`. */
function endOfString(json: Buffer, at: number): number {
  let position = at + 1
  while (position < json.length && json[position] !== quote) position += json[position] === backslash ? 2 : 1
  return position + 1
}

/** Index after the value that starts at `at`. */
function endOfValue(json: Buffer, at: number): number {
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
