/** Reads values of DER (ITU-T X.690), the form of certificates and requests for them. */

/** A value: its bytes with and without the head. */
export interface DerValue {
  readonly tag: number
  readonly whole: Buffer
  readonly content: Buffer
}

/** The bytes are no DER. */
export class DerFault extends Error {}

const lengthBytesMax = 4

/** Returns the values in these bytes, one after another. Throws DerFault. */
export function derValues(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = []
  for (let from = 0; from < bytes.length; ) {
    const value = derValue(bytes.subarray(from))
    values.push(value)
    from += value.whole.length
  }
  return values
}

function derValue(bytes: Buffer): DerValue {
  const tag = bytes[0] ?? 0
  const first = bytes[1] ?? 0x80
  // Requests have no tags of several bytes and no indefinite lengths.
  if ((tag & 0x1f) === 0x1f || first === 0x80) throw new DerFault("the structure of the request cannot be read")
  const more = first < 0x80 ? 0 : first & 0x7f
  if (more > lengthBytesMax || bytes.length < 2 + more) throw new DerFault("the structure of the request cannot be read")
  const length = more === 0 ? first : bytes.readUIntBE(2, more)
  const whole = bytes.subarray(0, 2 + more + length)
  if (whole.length < 2 + more + length) throw new DerFault("the request is cut short")
  return { tag, whole, content: whole.subarray(2 + more) }
}

/** Tags of the values that requests have. */
export const derTags = { integer: 0x02, bits: 0x03, objectIdentifier: 0x06, sequence: 0x30 } as const

/** The text of an object identifier: `1.2.840.113549.1.1.11`. Throws DerFault. */
export function objectIdentifier({ tag, content }: DerValue): string {
  if (tag !== derTags.objectIdentifier || content.length === 0 || content.length > 32) throw new DerFault("an identifier cannot be read")
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [first = 0, ...others] = arcs
  const root = Math.min(Math.floor(first / 40), 2)
  return [root, first - root * 40, ...others].join(".")
}
