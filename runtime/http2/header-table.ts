/** The fields that a header block may name by number: the static table of RFC 7541 appendix A, and those that the client sent before. */

export interface HeaderField {
  readonly name: string
  readonly value: string
  /** Name and value have only characters that HTTP/2 allows; RFC 9113 section 8.2.1. Told here, so that it is found out once per entry. */
  readonly isSound: boolean
}

/** Bytes that an entry counts for besides its characters; RFC 7541 section 4.1. */
export const fieldOverheadBytes = 32
/** `SETTINGS_HEADER_TABLE_SIZE` that every end begins with; we ask for no other. */
export const headerTableBytes = 4096

const soundName = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/
// Control characters are no part of a value, RFC 9110 section 5.5, and node's clients, which pass requests on, refuse them.
const soundValue = /^(?![ \t])[\t\x20-\x7e\x80-\xff]*(?<![ \t])$/

export function headerField(name: string, value: string): HeaderField {
  return { name, value, isSound: soundName.test(name) && soundValue.test(value) }
}

/** In the order of their numbers, from 1. */
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

/** The number under which the static table has a name, with whatever value; undefined when it has not. */
export function staticNumberOf(name: string): number | undefined {
  return staticNumbers.get(name)
}

/** As many entries as fit when their names and values are empty. */
const slots = headerTableBytes / fieldOverheadBytes

/** What one end of a connection remembers of the header blocks of the other; RFC 7541 section 2.3. Entries that find no room push out the oldest. */
export class HeaderTable {
  private readonly ring = new Array<HeaderField | undefined>(slots)
  /** Where the next entry goes. */
  private head = 0
  private count = 0
  private bytes = 0
  private bytesMax = headerTableBytes

  /** Undefined: there is no such number. */
  field(number: number): HeaderField | undefined {
    if (number <= staticFields.length) return staticFields[number - 1]
    const age = number - staticFields.length
    return age <= this.count ? this.ring[(this.head - age + slots) % slots] : undefined
  }

  add(field: HeaderField): void {
    const bytes = sizeOf(field)
    this.shrink(this.bytesMax - bytes)
    // One that is larger than the table empties it; RFC 7541 section 4.4.
    if (bytes > this.bytesMax) return
    this.ring[this.head] = field
    this.head = (this.head + 1) % slots
    this.count++
    this.bytes += bytes
  }

  /** The other end uses so much of the table from now on. False: more than it may. */
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

/** What a field counts for; RFC 7541 section 4.1. Names and values are latin1: a character is a byte. */
export function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + fieldOverheadBytes
}
