/** Decrypts the handshake records of TLS 1.3 (RFC 8446 section 5.2). */
import { createDecipheriv, createHmac } from "node:crypto"

/** A decrypted record. */
interface InnerRecord {
  readonly type: number
  readonly content: Buffer
}

interface Cipher {
  readonly name: "aes-128-gcm" | "aes-256-gcm" | "chacha20-poly1305"
  readonly hash: "sha256" | "sha384"
  readonly keyBytes: number
}

const sha384Bytes = 48
const ivBytes = 12
const tagBytes = 16
const headBytes = 5

/**
 * Cipher suites of node, by the length of their secrets. Two share a length; the first record shows which of them it
 * is.
 */
const of384: readonly Cipher[] = [{ name: "aes-256-gcm", hash: "sha384", keyBytes: 32 }]
const of256: readonly Cipher[] = [
  { name: "aes-128-gcm", hash: "sha256", keyBytes: 16 },
  { name: "chacha20-poly1305", hash: "sha256", keyBytes: 32 },
]

/** One per direction of a handshake. */
export class RecordKeys {
  private ciphers: readonly Cipher[]
  private sequence = 0

  /** `secret`: handshake traffic secret of one end. */
  constructor(private readonly secret: Buffer) {
    this.ciphers = secret.length === sha384Bytes ? of384 : of256
  }

  /** Decrypts the next record; undefined if it is encrypted with none of these keys. */
  open(record: Buffer): InnerRecord | undefined {
    for (const cipher of this.ciphers) {
      const plain = this.opened(record, cipher)
      if (plain === undefined) continue
      this.ciphers = [cipher]
      this.sequence++
      // The type is the last byte before the padding.
      let end = plain.length
      while (end > 0 && plain[end - 1] === 0) end--
      return end === 0 ? undefined : { type: plain[end - 1] ?? 0, content: plain.subarray(0, end - 1) }
    }
    return undefined
  }

  private opened(record: Buffer, { name, hash, keyBytes }: Cipher): Buffer | undefined {
    if (record.length < headBytes + tagBytes) return undefined
    const iv = expandLabel(this.secret, "iv", ivBytes, hash)
    iv.writeUInt32BE((iv.readUInt32BE(ivBytes - 4) ^ this.sequence) >>> 0, ivBytes - 4)
    const key = expandLabel(this.secret, "key", keyBytes, hash)
    // Node's types have a function for each kind of cipher; all of these accept the length of the tag.
    const decipher = createDecipheriv(name as "aes-128-gcm", key, iv, { authTagLength: tagBytes })
    decipher.setAAD(record.subarray(0, headBytes))
    decipher.setAuthTag(record.subarray(record.length - tagBytes))
    try {
      return Buffer.concat([decipher.update(record.subarray(headBytes, record.length - tagBytes)), decipher.final()])
    } catch {
      return undefined
    }
  }
}

/** HKDF-Expand-Label of RFC 8446 section 7.1, without a context, for at most one block of the hash. */
function expandLabel(secret: Buffer, label: string, length: number, hash: string): Buffer {
  const name = `tls13 ${label}`
  const info = Buffer.concat([Buffer.from([0, length, name.length]), Buffer.from(name, "latin1"), Buffer.from([0, 1])])
  return createHmac(hash, secret).update(info).digest().subarray(0, length)
}
