/** Bounds what the other end of a TLS connection may send before its handshake is done. */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { type HandshakeLimits, HandshakeReader } from "./handshake-reader.ts"
import { type Interception, intercept } from "./intercepted-bytes.ts"

export interface GuardOptions {
  /** Which end sends the bytes. */
  readonly from: "client" | "server"
  readonly limits: HandshakeLimits
  /** Bytes of the connection that were read before. */
  readonly first?: Buffer | undefined
  /**
   * Called when OpenSSL is about to check certificates. Calling `check`, once, at once or later, lets it do so.
   * Default: at once.
   */
  readonly inTurn?: (check: () => void) => void
  /** Ends the connection. Called at most once. */
  readonly onFault: (reason: string) => void
}

/**
 * Called once per connection, as soon as its TLS is made and before anything is read. `stream` encrypts `socket`. Costs
 * nothing once the handshake is done.
 */
export function guardHandshake(stream: TLSSocket, socket: Socket, options: GuardOptions): void {
  const guard = new Guard(stream, socket, options)
  const label = options.from === "client" ? "CLIENT_HANDSHAKE_TRAFFIC_SECRET " : "SERVER_HANDSHAKE_TRAFFIC_SECRET "
  stream.on("keylog", (line: Buffer) => {
    const text = line.toString("latin1")
    if (text.startsWith(label)) guard.reader.useSecret(Buffer.from(text.trim().split(" ").at(-1) ?? "", "hex"))
  })
  stream.once("close", () => guard.end())
  if (options.first !== undefined) guard.take(options.first)
}

class Guard {
  readonly reader: HandshakeReader
  private readonly bytes: Interception
  private isHeld = false
  private isOver = false

  constructor(
    private readonly stream: TLSSocket,
    socket: Socket,
    private readonly options: GuardOptions,
  ) {
    this.reader = new HandshakeReader(options.limits)
    this.bytes = intercept(stream, socket, (bytes) => this.take(bytes))
  }

  take(bytes: Buffer): void {
    if (this.isOver) return
    this.reader.push(bytes)
    this.advance()
  }

  end(): void {
    this.isOver = true
    this.bytes.end()
  }

  private advance(): void {
    const { bytes, options, reader, stream } = this
    while (!this.isHeld && !this.isOver) {
      const step = reader.next(stream.getProtocol() === "TLSv1.3")
      switch (step.kind) {
        case "wait":
          return
        case "over":
          this.end()
          return bytes.pass(step.bytes)
        case "foreign":
          // Later bytes are dropped: OpenSSL has ended the connection.
          this.isOver = true
          return bytes.pass(step.bytes)
        case "fault":
          this.isOver = true
          return options.onFault(step.reason)
        case "pass":
          if (step.certificates === 0 || options.inTurn === undefined) bytes.pass(step.bytes)
          else this.passInTurn(step.bytes, options.inTurn)
      }
    }
  }

  private passInTurn(bytes: Buffer, inTurn: (check: () => void) => void): void {
    this.isHeld = true
    this.bytes.pause()
    inTurn(() => {
      this.isHeld = false
      if (this.isOver) return
      this.bytes.resume()
      this.bytes.pass(bytes)
      this.advance()
    })
  }
}
