/**
 * Reads what one end of a TLS connection sends until its handshake is done, before OpenSSL gets it. OpenSSL checks all
 * signatures of a chain in one go, on the thread that serves all clients, and node offers no limit. So this reader
 * checks the length of the chain, and that its keys are of types whose signatures are cheap to verify. It verifies
 * nothing.
 */
import { chainFaultOf, certificatesIn } from "./certificate-message.ts"
import { handshakeRecordsMax } from "./limits.ts"
import { RecordKeys } from "./record-keys.ts"

export interface HandshakeLimits {
  /** Limit of bytes until the handshake is done. */
  readonly bytesMax: number
  readonly certificatesMax: number
}

/** The next step for the bytes that have arrived. */
export type Step =
  /** Pass these bytes to OpenSSL. `certificates`: they complete a chain of this length, which OpenSSL then checks. */
  | { readonly kind: "pass"; readonly bytes: Buffer; readonly certificates: number }
  /** More bytes must come first. */
  | { readonly kind: "wait" }
  /** The rest is not handshake, or has no certificates: OpenSSL gets all further bytes directly. */
  | { readonly kind: "over"; readonly bytes: Buffer }
  /** Pass these bytes, which are not TLS, to OpenSSL, which reports the error; drop all further bytes. */
  | { readonly kind: "foreign"; readonly bytes: Buffer }
  /** End the connection. */
  | { readonly kind: "fault"; readonly reason: string }

const recordHeadBytes = 5
/** RFC 8446 section 5.2: with the padding and tag of an encrypted record. */
const recordBytesMax = 16 * 1024 + 256
const messageHeadBytes = 4

const recordTypes = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const
const messageTypes = { certificate: 11, finished: 20, compressedCertificate: 25 } as const

const none = Buffer.alloc(0)
const wait: Step = { kind: "wait" }

/** One per connection. */
export class HandshakeReader {
  private bytes: Buffer = none
  private message: Buffer = none
  private passedBytes = 0
  private records = 0
  private keys: RecordKeys | undefined

  constructor(private readonly limits: HandshakeLimits) {}

  push(bytes: Buffer): void {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes])
  }

  /** Called with the secret of TLS 1.3 that encrypts the handshake messages of this end. */
  useSecret(secret: Buffer): void {
    // A message may not begin before the change of keys and end after it: RFC 8446 section 5.1.
    this.message = none
    this.keys = new RecordKeys(secret)
  }

  /**
   * Called until it returns a step other than "pass"; the caller passes on a step's bytes before the next call. `is13`:
   * whether OpenSSL has chosen TLS 1.3, as far as it knows.
   */
  next(is13: boolean): Step {
    const { bytes, limits } = this
    if (bytes.length === 0) return wait
    const type = bytes[0] ?? 0
    if (!isRecord(type)) return this.foreign(bytes)
    if (type === recordTypes.changeCipherSpec && this.keys === undefined && !is13 && this.passedBytes > 0) return this.over()
    if (bytes.length < recordHeadBytes) return wait
    const length = recordHeadBytes + bytes.readUInt16BE(3)
    if (length > recordHeadBytes + recordBytesMax) return this.fault("it has sent a record that is too long")
    if (this.passedBytes + length > limits.bytesMax) return this.fault(`it has sent more than ${limits.bytesMax} bytes`)
    if (this.records >= handshakeRecordsMax) return this.fault(`it has sent more than ${handshakeRecordsMax} records`)
    if (bytes.length < length) return wait
    const record = bytes.subarray(0, length)
    const found = this.look(type, record)
    if (typeof found === "string") return this.fault(found)
    this.bytes = bytes.subarray(length)
    this.passedBytes += length
    this.records++
    if (!found.isFinished) return { kind: "pass", bytes: record, certificates: found.certificates }
    this.bytes = Buffer.concat([record, this.bytes])
    return this.over()
  }

  private over(): Step {
    const { bytes } = this
    this.bytes = none
    return { kind: "over", bytes }
  }

  private foreign(bytes: Buffer): Step {
    this.bytes = none
    // Excludes a hello of SSL 2, whose first bit is set: OpenSSL would accept it and go on with TLS.
    return (bytes[0] ?? 0) < 0x80 ? { kind: "foreign", bytes } : this.fault("it has sent something else than TLS")
  }

  private fault(reason: string): Step {
    this.bytes = none
    return { kind: "fault", reason: `before its handshake was done, ${reason}` }
  }

  /** The certificates and the end of the handshake that a record adds to the messages; a text is a fault. */
  private look(type: number, record: Buffer): Found | string {
    if (type === recordTypes.handshake && this.keys === undefined) return this.lookAt(record.subarray(recordHeadBytes))
    // Alerts, and in TLS 1.3 a record that stands for nothing. After the change of keys, OpenSSL accepts no plain
    // record.
    if (type !== recordTypes.applicationData) return { certificates: 0, isFinished: false }
    const inner = this.keys?.open(record)
    if (inner === undefined) return "it has sent a record that cannot be decrypted"
    return inner.type === recordTypes.handshake ? this.lookAt(inner.content) : { certificates: 0, isFinished: false }
  }

  private lookAt(fragment: Buffer): Found | string {
    this.message = this.message.length === 0 ? fragment : Buffer.concat([this.message, fragment])
    let certificates = 0
    while (this.message.length >= messageHeadBytes) {
      const type = this.message[0]
      const length = messageHeadBytes + this.message.readUIntBE(1, 3)
      if (length > this.limits.bytesMax) return `it has sent a message of more than ${this.limits.bytesMax} bytes`
      if (type === messageTypes.compressedCertificate) return "it has sent compressed certificates"
      if (this.message.length < length) break
      // Before TLS 1.3, Finished follows ChangeCipherSpec, after which nothing is inspected.
      if (type === messageTypes.finished && this.keys !== undefined) return { certificates, isFinished: true }
      if (type === messageTypes.certificate) {
        const sent = certificatesIn(this.message.subarray(messageHeadBytes, length), this.keys !== undefined)
        const fault = chainFaultOf(sent, this.limits.certificatesMax)
        if (fault !== undefined) return fault
        certificates += sent?.length ?? 0
      }
      this.message = this.message.subarray(length)
    }
    return { certificates, isFinished: false }
  }
}

interface Found {
  readonly certificates: number
  readonly isFinished: boolean
}

function isRecord(type: number): boolean {
  return type >= recordTypes.changeCipherSpec && type <= recordTypes.applicationData
}
