/**
 * Reads the host that a client names in its first TLS message, before the handshake begins. Node's `SNICallback`
 * chooses a certificate later and keeps the default one as well: with keys of two types the client chooses between
 * them, and may get the wrong one.
 */

/** The longest message that is parsed: one TLS record. Post-quantum key shares take 2 KiB. */
export const helloBytesMax = 16 * 1024

/** A name of a host, as certificates have them. Any other text counts as none. */
const hostName = /^[a-z0-9_.-]{1,255}$/

/**
 * Returns the host's name in lower case, "" if the message names none or is not TLS, or the least number of bytes with
 * which it may be complete. Never throws; takes time that is linear in the bytes.
 */
export function serverNameIn(bytes: Buffer): string | number {
  const message = handshakeMessage(bytes)
  if (!Buffer.isBuffer(message)) return message
  try {
    return nameIn(message)
  } catch (error) {
    if (error instanceof RangeError) return ""
    throw error
  }
}

const handshakeRecord = 22
const clientHello = 1
const recordHeadBytes = 5
const messageHeadBytes = 4

/** Records of one message; clients send it in one. More count as none, so that no message is read often. */
const recordsMax = 64

/** The first handshake message, put together from its records; else as `serverNameIn`. */
function handshakeMessage(bytes: Buffer): Buffer | string | number {
  const parts: Buffer[] = []
  let gathered = 0
  let wanted = 0
  for (let at = 0; wanted === 0 || gathered < wanted; ) {
    if (parts.length === recordsMax || (bytes.length > at && bytes[at] !== handshakeRecord)) return ""
    if (bytes.length < at + recordHeadBytes) return within(at + recordHeadBytes)
    const end = at + recordHeadBytes + bytes.readUInt16BE(at + 3)
    if (bytes.length < end) return within(end)
    parts.push(bytes.subarray(at + recordHeadBytes, end))
    gathered += end - at - recordHeadBytes
    at = end
    if (wanted > 0 || gathered < messageHeadBytes) continue
    const head = Buffer.concat(parts)
    if (head[0] !== clientHello) return ""
    wanted = messageHeadBytes + head.readUIntBE(1, 3)
    if (wanted > helloBytesMax) return ""
  }
  return Buffer.concat(parts).subarray(messageHeadBytes, wanted)
}

function within(bytes: number): number | string {
  return bytes > helloBytesMax ? "" : bytes
}

/** Throws a RangeError if a length exceeds the message. */
function nameIn(message: Buffer): string {
  const versionAndRandom = 2 + 32
  let at = versionAndRandom
  at += 1 + message.readUInt8(at) // The session.
  at += 2 + message.readUInt16BE(at) // The cipher suites.
  at += 1 + message.readUInt8(at) // The compression methods.
  if (at === message.length) return ""
  const end = at + 2 + message.readUInt16BE(at)
  at += 2
  while (at < end) {
    const type = message.readUInt16BE(at)
    const length = message.readUInt16BE(at + 2)
    at += 4
    // The list of names has one, of type 0: RFC 6066 section 3.
    if (type === 0) return message.readUInt8(at + 2) === 0 ? known(message.subarray(at + 5, at + 5 + message.readUInt16BE(at + 3))) : ""
    at += length
  }
  return ""
}

function known(name: Buffer): string {
  const text = name.toString("latin1").toLowerCase()
  return hostName.test(text) ? text : ""
}
