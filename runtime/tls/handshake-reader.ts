/**
 * Reads what one end of a TLS connection sends until its handshake is done, before OpenSSL gets it. OpenSSL checks all
 * signatures of a chain in one go, on the thread that serves all clients, and node offers no limit. So the chain is
 * looked at here: how long it is, and whether its keys are of sorts whose signatures cost little. Nothing is verified.
 */
import { chainFaultOf, certificatesIn } from "./certificate-message.ts"
import { handshakeRecordsMax } from "./limits.ts"
import { RecordKeys } from "./record-keys.ts"

export interface HandshakeLimits {
  /** Bytes until the handshake is done. */
  readonly bytesMax: number
  readonly certificatesMax: number
}

/** What to do next with the bytes that have come. */
export type Step =
  /** OpenSSL gets these bytes now. `certificates`: with them it has a chain of this length, and checks it. */
  | { readonly kind: "pass"; readonly bytes: Buffer; readonly certificates: number }
  /** More bytes must come first. */
  | { readonly kind: "wait" }
  /** What comes now is no part of the handshake, or none that has certificates: OpenSSL gets it as it comes. */
  | { readonly kind: "over"; readonly bytes: Buffer }
  /** OpenSSL gets these bytes, which are no TLS, and says so; it gets nothing of what follows. */
  | { readonly kind: "foreign"; readonly bytes: Buffer }
  /** The connection is to be ended. */
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
   * Called until it returns another step than "pass"; the bytes of a step are passed on before the next call. `is13`:
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
    // OpenSSL would take a hello of SSL 2, whose first bit is set, and go on with TLS.
    return (bytes[0] ?? 0) < 0x80 ? { kind: "foreign", bytes } : this.fault("it has sent something else than TLS")
  }

  private fault(reason: string): Step {
    this.bytes = none
    return { kind: "fault", reason: `before its handshake was done, ${reason}` }
  }

  /** What a record adds to the messages; a text says what is wrong with it. */
  private look(type: number, record: Buffer): Found | string {
    if (type === recordTypes.handshake && this.keys === undefined) return this.lookAt(record.subarray(recordHeadBytes))
    // Alerts, and in TLS 1.3 a record that stands for nothing. After the keys have changed, OpenSSL takes no plain one.
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
      // In older versions it comes behind the change of ciphers, where nothing is looked at any more.
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
