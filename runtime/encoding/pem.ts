/** Blocks of PEM (RFC 7468) in a text of a client. Takes time in proportion to the text. */

export interface PemBlock {
  /** `CERTIFICATE` */
  readonly label: string
  /** There are headers of the older form (RFC 1421). */
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

const begin = "-----BEGIN "
const end = "-----END "
const dashes = "-----"
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Returns the blocks that can be read, in order; ignores the text between them. Called with any text. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = []
  let from = 0
  for (;;) {
    const start = text.indexOf(begin, from)
    const endStart = start < 0 ? -1 : text.indexOf(end, start)
    if (endStart < 0) return blocks
    // Continues behind the end line, so that no part of the text is read twice.
    const endLine = lineEnd(text, endStart)
    const block = blockOf(text.slice(start, endLine), endStart - start)
    if (block !== undefined) blocks.push(block)
    from = endLine
  }
}

/** Reads one block, which begins with its first line and whose last one begins at `last`. */
function blockOf(text: string, last: number): PemBlock | undefined {
  const head = text.indexOf("\n")
  if (head < 0 || head > last || text[last - 1] !== "\n") return undefined
  const first = text.slice(begin.length, head).trimEnd()
  if (!first.endsWith(dashes)) return undefined
  const label = first.slice(0, -dashes.length)
  if (text.slice(last).trimEnd() !== `${end}${label}${dashes}`) return undefined
  const lines = text.slice(head + 1, last).split("\n")
  const blank = lines.findIndex((line) => line.trim() === "")
  const hasHeaders = lines[0]?.includes(":") === true && blank >= 0
  const body = lines
    .slice(hasHeaders ? blank : 0)
    .map((line) => line.trim())
    .join("")
  if (!base64.test(body) || body.length % 4 !== 0) return undefined
  return { label, hasHeaders, bytes: Buffer.from(body, "base64") }
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from)
  return found < 0 ? text.length : found + 1
}
