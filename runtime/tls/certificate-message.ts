/** The TLS message in which one end sends its certificates. */
import { DerFault, type DerValue, derValues } from "../encoding/der.ts"
import { keyFault } from "../encoding/public-key.ts"

/**
 * Certificates in DER, the sender's own first; undefined for bytes that are not such a message. Called with any bytes.
 */
export function certificatesIn(message: Buffer, is13: boolean): readonly Buffer[] | undefined {
  const found: Buffer[] = []
  try {
    let at = is13 ? 1 + message.readUInt8(0) : 0
    const end = at + 3 + message.readUIntBE(at, 3)
    if (end !== message.length) return undefined
    for (at += 3; at < end; ) {
      const from = at + 3
      at = from + message.readUIntBE(at, 3)
      if (at > end) return undefined
      found.push(message.subarray(from, at))
      // RFC 8446 section 4.4.2: extensions of the certificate follow it.
      if (is13) at += 2 + message.readUInt16BE(at)
    }
    return at === end ? found : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Why a chain would cost too much to verify; undefined when it would not. Does not consider its signatures. */
export function chainFaultOf(sent: readonly Buffer[] | undefined, certificatesMax: number): string | undefined {
  if (sent === undefined) return "it has sent certificates that cannot be read"
  if (sent.length > certificatesMax) return `it has sent more than ${certificatesMax} certificates`
  for (const certificate of sent) {
    const fault = certificateFault(certificate)
    if (fault !== undefined) return `it has sent a certificate of which ${fault}`
  }
  return undefined
}

const explicitVersion = 0xa0

function certificateFault(certificate: Buffer): string | undefined {
  try {
    const [whole] = derValues(certificate)
    const [body] = derValues(present(whole))
    const parts = derValues(present(body))
    const key = parts[parts[0]?.tag === explicitVersion ? 6 : 5]
    return key === undefined ? "the key is missing" : keyFault(key.whole)
  } catch (error) {
    if (error instanceof DerFault) return `${error.message}`
    throw error
  }
}

function present(value: DerValue | undefined): Buffer {
  if (value === undefined) throw new DerFault("a part is missing")
  return value.content
}
