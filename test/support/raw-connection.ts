/** HTTP/1.1 as bytes over TLS: sends requests that no client library would, and returns raw responses. */
import { connect, type TLSSocket } from "node:tls"

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RawConnection {
  readonly socket: TLSSocket
  send(...lines: string[]): void
  /** Reads the next response. Rejects when the connection ends before it is complete. */
  answer(): Promise<RawAnswer>
  /** Reads the head of the next response, such as a watch's. */
  head(): Promise<RawAnswer>
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<void>
}

/** Called once per connection; the test destroys `socket`. */
export async function connectRaw(options: { port: number; authority: string }): Promise<RawConnection> {
  const socket = connect({ port: options.port, host: "127.0.0.1", ca: options.authority, ALPNProtocols: ["http/1.1"] })
  const incoming = new Incoming(socket)
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject))
  return {
    socket,
    send: (...lines) => void socket.write(Buffer.from(lines.join("\r\n"), "latin1")),
    head: () => incoming.head(),
    async answer() {
      const head = await incoming.head()
      return { ...head, body: await incoming.body(Number(head.headers["content-length"] ?? 0)) }
    },
    ended: incoming.ended,
  }
}

/** Received bytes that have not been read yet. */
class Incoming {
  readonly ended: Promise<void>
  private text = ""
  private over = false
  private wake = (): void => {}

  constructor(socket: TLSSocket) {
    this.ended = new Promise((resolve) => socket.once("close", () => resolve()))
    socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString("latin1")
      this.wake()
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      this.over = true
      this.wake()
    })
  }

  async head(): Promise<RawAnswer> {
    const end = await this.until(() => this.text.indexOf("\r\n\r\n"))
    const [first = "", ...lines] = this.text.slice(0, end).split("\r\n")
    this.text = this.text.slice(end + 4)
    const headers = lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    })
    return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers), body: "" }
  }

  async body(length: number): Promise<string> {
    await this.until(() => (this.text.length >= length ? length : -1))
    const body = this.text.slice(0, length)
    this.text = this.text.slice(length)
    return body
  }

  /** Waits until `find` returns an index that is not negative. */
  private async until(find: () => number): Promise<number> {
    for (;;) {
      const found = find()
      if (found >= 0) return found
      if (this.over) throw new Error(`the connection ended; there was only ${JSON.stringify(this.text.slice(0, 200))}`)
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }
}
