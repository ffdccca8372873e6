import { createHash } from "node:crypto"

/**
 * The name of a server among the servers of a store: `apiserver-` and 26 characters of its host's name, made as
 * kube-apiserver makes it. Metrics have a hash of it.
 */
export function serverIdentity(host: string): string {
  const hash = createHash("sha256")
  for (const text of [host, "kube-apiserver"]) {
    const bytes = Buffer.from(text)
    hash.update(Buffer.from([bytes.length >> 8, bytes.length & 255])).update(bytes)
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`
}

/** RFC 4648, in lower case and without padding. */
function base32(bytes: Uint8Array): string {
  let bits = BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
  const length = Math.ceil((bytes.length * 8) / 5)
  bits <<= BigInt(length * 5 - bytes.length * 8)
  return Array.from({ length }, (_, index) => alphabet[Number((bits >> BigInt((length - 1 - index) * 5)) & 31n)]).join("")
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
