/** Decodes header blocks: RFC 7541 section 6. */
import { type HeaderField, HeaderTable, headerField } from "./header-table.ts"
import { decodeHuffman } from "./huffman.ts"
import { ConnectionFault, errorCode } from "./protocol.ts"

/** One per connection: a block depends on earlier ones, so each must be decoded, in order. */
export class HeaderDecoder {
  private readonly table = new HeaderTable()
  private bytes: Buffer = Buffer.alloc(0)
  private at = 0

  /**
   * Calls `take` with each field. Throws ConnectionFault for a malformed block: no later block could be decoded either.
   */
  decode(block: Buffer, take: (field: HeaderField) => void): void {
    this.bytes = block
    this.at = 0
    let mayResize = true
    while (this.at < block.length) {
      const first = block[this.at] ?? 0
      if ((first & 0xe0) === 0x20) {
        if (!mayResize || !this.table.resize(this.integer(5))) throw fault("the size of the header table is changed where it may not be")
        continue
      }
      mayResize = false
      if ((first & 0x80) !== 0) take(this.indexed(this.integer(7)))
      else if ((first & 0x40) !== 0) {
        const field = this.literal(6)
        this.table.add(field)
        take(field)
      } else take(this.literal(4))
    }
    this.bytes = noBytes
  }

  private indexed(number: number): HeaderField {
    const field = this.table.field(number)
    if (field === undefined) throw fault(`there is no header field ${number}`)
    return field
  }

  private literal(prefixBits: number): HeaderField {
    const number = this.integer(prefixBits)
    const name = number === 0 ? this.text() : this.indexed(number).name
    return headerField(name, this.text())
  }

  /** RFC 7541 section 5.1. Valid numbers here have at most 28 bits. */
  private integer(prefixBits: number): number {
    const { bytes } = this
    const prefixMax = (1 << prefixBits) - 1
    let value = this.byte(bytes) & prefixMax
    if (value < prefixMax) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const more = this.byte(bytes)
      value += (more & 0x7f) << shift
      if (more < 0x80) return value
    }
    throw fault("a number in a header block is too large")
  }

  private byte(bytes: Buffer): number {
    const byte = bytes[this.at++]
    if (byte === undefined) throw fault("a header block ends too early")
    return byte
  }

  /** RFC 7541 section 5.2. */
  private text(): string {
    const { bytes } = this
    const isHuffman = ((bytes[this.at] ?? 0) & 0x80) !== 0
    const length = this.integer(7)
    const from = this.at
    this.at += length
    if (this.at > bytes.length) throw fault("a header block ends too early")
    if (!isHuffman) return bytes.toString("latin1", from, this.at)
    const text = decodeHuffman(bytes, from, this.at)
    if (text === undefined) throw fault("a header string is in no Huffman code")
    return text
  }
}

const noBytes = Buffer.alloc(0)

function fault(message: string): ConnectionFault {
  return new ConnectionFault(errorCode.compressionError, message)
}
