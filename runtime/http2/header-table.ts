/** The header fields with a number: the static table of RFC 7541 appendix A, and fields that the client sent before. */

export interface HeaderField {
  readonly name: string
  readonly value: string
  /** Whether HTTP/2 allows all characters; RFC 9113 section 8.2.1. Kept here to check each entry only once. */
  readonly isSound: boolean
}

/** Bytes that an entry counts besides its characters; RFC 7541 section 4.1. */
export const fieldOverheadBytes = 32
/** The default of `SETTINGS_HEADER_TABLE_SIZE`, which the server never changes. */
export const headerTableBytes = 4096

const soundName = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/
// RFC 9110 section 5.5 forbids control characters, and node's clients, which pass requests on, refuse them.
const soundValue = /^(?![ \t])[\t\x20-\x7e\x80-\xff]*(?<![ \t])$/

export function headerField(name: string, value: string): HeaderField {
  return { name, value, isSound: soundName.test(name) && soundValue.test(value) }
}

/** In the order of their numbers, starting at 1. */
const staticFields: readonly HeaderField[] = [
  ...[":authority", ":method=GET", ":method=POST", ":path=/", ":path=/index.html", ":scheme=http", ":scheme=https"],
  ...[":status=200", ":status=204", ":status=206", ":status=304", ":status=400", ":status=404", ":status=500"],
  ...["accept-charset", "accept-encoding=gzip, deflate", "accept-language", "accept-ranges", "accept", "access-control-allow-origin"],
  ...["age", "allow", "authorization", "cache-control", "content-disposition", "content-encoding", "content-language"],
  ...["content-length", "content-location", "content-range", "content-type", "cookie", "date", "etag", "expect", "expires", "from"],
  ...["host", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "link"],
  ...["location", "max-forwards", "proxy-authenticate", "proxy-authorization", "range", "referer", "refresh", "retry-after"],
  ...["server", "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via", "www-authenticate"],
].map((text) => {
  const [name = "", value = ""] = text.split("=")
  return headerField(name, value)
})

const staticNumbers = new Map<string, number>()
for (const [index, { name }] of staticFields.entries()) if (!staticNumbers.has(name)) staticNumbers.set(name, index + 1)

/** The first number of this name in the static table, with any value; undefined if there is none. */
export function staticNumberOf(name: string): number | undefined {
  return staticNumbers.get(name)
}

/** The number of entries with empty names and values that fit the table. */
const slots = headerTableBytes / fieldOverheadBytes

/** The dynamic table of one direction of a connection; RFC 7541 section 2.3. New entries evict the oldest. */
export class HeaderTable {
  private readonly ring = new Array<HeaderField | undefined>(slots)
  /** The index of the next entry. */
  private head = 0
  private count = 0
  private bytes = 0
  private bytesMax = headerTableBytes

  /** Undefined if no field has this number. */
  field(number: number): HeaderField | undefined {
    if (number <= staticFields.length) return staticFields[number - 1]
    const age = number - staticFields.length
    return age <= this.count ? this.ring[(this.head - age + slots) % slots] : undefined
  }

  add(field: HeaderField): void {
    const bytes = sizeOf(field)
    this.shrink(this.bytesMax - bytes)
    // An entry that is larger than the table empties it; RFC 7541 section 4.4.
    if (bytes > this.bytesMax) return
    this.ring[this.head] = field
    this.head = (this.head + 1) % slots
    this.count++
    this.bytes += bytes
  }

  /** Sets the size that the other end uses from now on. False if it is more than allowed. */
  resize(bytesMax: number): boolean {
    if (bytesMax > headerTableBytes) return false
    this.bytesMax = bytesMax
    this.shrink(bytesMax)
    return true
  }

  private shrink(bytesMax: number): void {
    while (this.bytes > bytesMax && this.count > 0) {
      const oldest = (this.head - this.count + slots) % slots
      const field = this.ring[oldest]
      this.ring[oldest] = undefined
      this.count--
      if (field !== undefined) this.bytes -= sizeOf(field)
    }
  }
}

/** The size of a field; RFC 7541 section 4.1. Names and values are latin1: a character is a byte. */
export function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + fieldOverheadBytes
}
