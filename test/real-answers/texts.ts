/** Compares texts of the real server and ours, and names the difference of two texts. */

/**
 * Whether ours begins with the real one's text. Values that the real one prints in the syntax of its language may be
 * written otherwise, and so may a printed difference of two objects at the end.
 */
export function beginsWith(ours: unknown, real: unknown): boolean {
  if (typeof ours !== "string" || typeof real !== "string") return false
  const text = real.includes("\n") && real.includes("{") ? (real.split("\n")[0] ?? "").trimEnd() : real
  if (ours.startsWith(text)) return true
  const printed = printedValue(text)
  return printed !== undefined && ours.startsWith(printed.before) && ours.includes(printed.after)
}

/** The texts around a value that is printed in Go's syntax: a composite, a call, or an address. */
function printedValue(text: string): { before: string; after: string } | undefined {
  for (const { index, 0: word } of text.matchAll(/(?:Invalid|Unsupported|Duplicate) value: /g)) {
    const start = index + word.length
    const end = endOfPrinted(text, start)
    if (end !== undefined) return { before: text.slice(0, start), after: text.slice(end) }
  }
  return undefined
}

function endOfPrinted(text: string, start: number): number | undefined {
  let open = start
  while (/[\w./*&[\]]/.test(text[open] ?? "")) open++
  const ends = (at: number): boolean => at === text.length || text.startsWith(": ", at)
  if (text[open] === "{") for (let at = text.length; at > open; at--) if (text[at - 1] === "}" && ends(at)) return at
  if (text[open] === "(" && open > start) for (let at = open + 1; at <= text.length; at++) if (text[at - 1] === ")" && ends(at)) return at
  return ends(open) && /^0x[0-9a-f]+$/.test(text.slice(start, open)) ? open : undefined
}

const decodingWords = [
  "cannot unmarshal",
  "json: ",
  "decoding",
  "unable to parse",
  "looking for beginning",
  "invalid character",
  "cannot be handled as",
  "illegal base64",
  "unexpected end",
  "cannot convert",
  "quantities must match",
  "cannot parse",
  "time: ",
  "converting YAML",
  "error parsing",
  "strconv",
  "ReadString",
  "Go struct field",
  "into int",
  "v1.",
  "parsing time",
  "create typed patch",
  "convert new object",
  "find api field in struct",
  "list element types are not identical",
  "declared merge key",
]

/** Whether the text is of a fault of decoding: Go's libraries choose its words. */
export function isOfDecoding(text: unknown): boolean {
  return typeof text === "string" && decodingWords.some((word) => text.includes(word))
}

/** The name of the difference between two messages of one cause. */
export function textClass(real: string, ours: string): string {
  if (ours === "Required value" && real.startsWith("Required value: ")) return "Required value without the rest"
  if (real.startsWith("Unsupported value") && quoted(real) === quoted(ours)) return "order of supported values"
  const [realRest, oursRest] = [withoutValue(real), withoutValue(ours)]
  if (oursRest.startsWith(realRest) || lastPart(realRest) === lastPart(oursRest)) return "value written otherwise"
  return "words"
}

const quoted = (text: string): string => (text.match(/"[^"]*"/g) ?? []).sort().join(" ")
const lastPart = (text: string): string => text.slice(text.lastIndexOf(": ") + 1).trimStart()

/** `Invalid value: "a": must be b` without the value. */
export function withoutValue(text: string): string {
  const head = /^\w+ value: /.exec(text)?.[0]
  if (head === undefined) return text
  const end = text.indexOf(": ", head.length)
  return end < 0 ? head : head + text.slice(end + 2)
}
