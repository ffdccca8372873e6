/**
 * The client's end of an HTTP/2 connection for tests: sends exactly the given frames, and records the received ones.
 */
import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { onTestFinished } from "vitest"
import { assert } from "../../runtime/base/assert.ts"
import { KeptBytes } from "../../runtime/http/kept-bytes.ts"
import { type Http2Name, http2Implementations } from "../../runtime/http/http2-implementation.ts"
import type { Http2Options, Http2Session } from "../../runtime/http/http2-session.ts"
import { type TimeLimits, timeLimits } from "../../runtime/http/time-limits.ts"
import { type FrameHead, frameOf, settingsFrame } from "../../runtime/http2/frame-output.ts"
import { HeaderDecoder } from "../../runtime/http2/header-decoder.ts"
import { encodeTrailers } from "../../runtime/http2/header-encoder.ts"
import { frameFlag, frameHeadBytes, frameType } from "../../runtime/http2/protocol.ts"

export type Answering = Http2Options["onRequest"]

export interface HeardFrame extends FrameHead {
  readonly payload: Buffer
}

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

/** The fields of a small, plain request. */
export const plain = { ":method": "GET", ":scheme": "https", ":authority": "localhost", ":path": "/" }

export interface RawClientOptions {
  /** Default `own`. */
  readonly http2?: Http2Name
  readonly streamsMax?: number
  /** Whether it starts with the preface and its settings, as every client does. */
  readonly begins?: boolean
  /** The budget of the server's end. */
  readonly kept?: KeptBytes
  readonly times?: Partial<TimeLimits>
  /** Milliseconds to wait for a frame or for the end before the client reports a failure. Default `patienceMs`. */
  readonly patience?: number
}

/** Below the time limit of a test, which names no missing frame; far above the needs of a busy machine. */
const patienceMs = 20_000

/** A test for a frame. `meaning`: for messages; default its source text. */
export type FrameTest = ((frame: HeardFrame) => boolean) & { readonly meaning?: string }

export class RawClient {
  readonly frames: HeardFrame[] = []
  /** The server's end, for inspection. */
  connection: Http2Session | undefined
  private heard: Buffer = Buffer.alloc(0)
  private readonly received = new Map<number, number>()
  private readonly decoder = new HeaderDecoder()
  isClosed = false
  private readonly waiting: (() => void)[] = []

  private constructor(
    readonly socket: Socket,
    private readonly server?: Server,
    private readonly patience = patienceMs,
  ) {
    socket.on("data", (bytes: Buffer) => {
      this.hear(bytes)
      this.tell()
    })
    socket.on("close", () => {
      this.isClosed = true
      this.tell()
    })
    // Many of these tests end connections on purpose.
    socket.on("error", () => undefined)
  }

  static async connect(
    answering: Answering,
    { http2 = "own", streamsMax = 100, begins = true, kept = new KeptBytes(), times = {}, patience = patienceMs }: RawClientOptions = {},
  ): Promise<RawClient> {
    let connection: Http2Session | undefined
    const server = createServer((socket) => {
      connection = http2Implementations[http2].open({ socket, streamsMax, kept, times: { ...timeLimits, ...times }, onRequest: answering })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    assert(address !== null && typeof address === "object", "it listens on TCP")
    const socket = connect(address.port, "127.0.0.1")
    const client = new RawClient(socket, server, patience)
    await once(socket, "connect")
    if (begins) client.begin([])
    await client.until(isOf(frameType.settings))
    client.connection = connection
    return client
  }

  /** Connects to a running server. Sends nothing by itself. */
  static async to({ port, authority }: { readonly port: number; readonly authority: string }): Promise<RawClient> {
    const socket = connectTls({ port, host: "127.0.0.1", ca: authority, ALPNProtocols: ["h2"] })
    const client = new RawClient(socket)
    await once(socket, "secureConnect")
    return client
  }

  begin(settings: readonly (readonly [number, number])[]): void {
    this.socket.write(Buffer.concat([preface, settingsFrame(settings)]))
  }

  send(head: Partial<FrameHead> & { readonly type: number }, payload: Uint8Array = Buffer.alloc(0)): void {
    this.socket.write(frameOf({ flags: 0, streamId: 0, ...head }, payload))
  }

  /** Sends a whole request, without a body unless `flags` say otherwise. Field names may be pseudo fields. */
  ask(streamId: number, fields: Record<string, string> = {}, flags: number = frameFlag.endHeaders | frameFlag.endStream): void {
    this.send({ type: frameType.headers, flags, streamId }, encodeTrailers({ ...plain, ...fields }))
  }

  /** Sends part of a body. */
  data(streamId: number, bytes: Uint8Array, isLast = false): void {
    this.send({ type: frameType.data, flags: isLast ? frameFlag.endStream : 0, streamId }, bytes)
  }

  /**
   * The first matching frame, already received or yet to come. Rejects when the connection ends without it, or when
   * nothing comes for so long that the server must be stuck; the error names the missing frame and the received ones.
   */
  async until(isMeant: FrameTest): Promise<HeardFrame> {
    for (;;) {
      const frame = this.frames.find(isMeant)
      if (frame !== undefined) return frame
      const missing = isMeant.meaning ?? isMeant.toString()
      if (this.isClosed) throw new Error(`the connection ended without ${missing}; ${this.heardText()}`)
      await this.news(missing)
    }
  }

  /** Resolves when the server has closed the connection. Rejects as `until` does. */
  async closed(): Promise<void> {
    while (!this.isClosed) await this.news("the end of the connection")
  }

  /** Resolves when anything has come. */
  private news(missing: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const inVain = setTimeout(
        () => reject(new Error(`nothing has come for ${this.patience} ms, while the client waits for ${missing}; ${this.heardText()}`)),
        this.patience,
      )
      this.waiting.push(() => {
        clearTimeout(inVain)
        resolve()
      })
    })
  }

  private heardText(): string {
    const frames = this.frames.map(
      ({ type, streamId, flags, payload }) => `${typeName(type)} of stream ${streamId} (flags ${flags}, ${payload.length} bytes)`,
    )
    return `it has heard ${frames.length === 0 ? "no frame" : frames.slice(-framesShownMax).join(", ")}${frames.length > framesShownMax ? ` after ${frames.length - framesShownMax} others` : ""}`
  }

  /** The number of body bytes received of a response. */
  bodyBytes(streamId: number): number {
    return this.received.get(streamId) ?? 0
  }

  /** The body bytes received of a response. */
  body(streamId: number): Buffer {
    return Buffer.concat(
      this.frames.filter((frame) => frame.type === frameType.data && frame.streamId === streamId).map(({ payload }) => payload),
    )
  }

  /** Decodes the fields of a block that arrived in one frame. Blocks must be decoded in order, each once. */
  fields({ payload }: HeardFrame): Record<string, string> {
    const fields: Record<string, string> = {}
    this.decoder.decode(payload, ({ name, value }) => {
      fields[name] = value
    })
    return fields
  }

  close(): void {
    this.socket.destroy()
    this.server?.close()
  }

  private tell(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  private hear(bytes: Buffer): void {
    this.heard = Buffer.concat([this.heard, bytes])
    while (this.heard.length >= frameHeadBytes) {
      const length = this.heard.readUIntBE(0, 3)
      if (this.heard.length < frameHeadBytes + length) return
      const [type = 0, flags = 0] = this.heard.subarray(3, 5)
      const payload = this.heard.subarray(frameHeadBytes, frameHeadBytes + length)
      const streamId = this.heard.readUInt32BE(5)
      this.frames.push({ type, flags, streamId, payload })
      if (type === frameType.data) this.received.set(streamId, this.bodyBytes(streamId) + length)
      this.heard = this.heard.subarray(frameHeadBytes + length)
    }
  }
}

/** Both implementations, for `describe.each`. */
export const http2Names = ["own", "node"] as const

/** As `connected`, by this implementation. */
export function connectedBy(http2: Http2Name): typeof connected {
  return (answering, options) => connected(answering, { http2, ...options })
}

/** A client of a server with this handler; closed after the test. */
export async function connected(answering: Answering, options?: RawClientOptions): Promise<RawClient> {
  const client = await RawClient.connect(answering, options)
  onTestFinished(() => client.close())
  return client
}

/** Responds to every request with two bytes, at once. */
export const ok: Answering = (_incoming, outgoing) => outgoing.end(Buffer.from("ok"))
/** Does not respond. */
export const silent: Answering = () => undefined

const framesShownMax = 20

function typeName(type: number): string {
  return Object.entries(frameType).find(([, value]) => value === type)?.[0] ?? `type ${type}`
}

function meaning(text: string, isMeant: (frame: HeardFrame) => boolean): FrameTest {
  return Object.assign(isMeant, { meaning: text })
}

/** The last frame of a response. */
export function isEnd(streamId: number): FrameTest {
  return meaning(
    `the last frame of stream ${streamId}`,
    (frame) =>
      frame.streamId === streamId &&
      (frame.type === frameType.data || frame.type === frameType.headers) &&
      (frame.flags & frameFlag.endStream) !== 0,
  )
}
/** Matches frames of this type. */
export function isOf(type: number, streamId = 0): FrameTest {
  return meaning(`${typeName(type)} of stream ${streamId}`, (frame) => frame.type === type && frame.streamId === streamId)
}

/** Waits for the GOAWAY and returns its error code. */
export async function goAwayCode(client: RawClient): Promise<number> {
  const { payload } = await client.until(isOf(frameType.goAway))
  return payload.readUInt32BE(4)
}

/** Waits for the RST_STREAM and returns its error code. */
export async function resetCode(client: RawClient, streamId: number): Promise<number> {
  const { payload } = await client.until(isOf(frameType.reset, streamId))
  return payload.readUInt32BE(0)
}

/** Sends a PING, whose reply follows everything sent before. */
export function ping(client: RawClient, flags = 0): void {
  client.send({ type: frameType.ping, flags }, Buffer.from("sequence"))
}

/** The reply to the PING. */
export const isPong: FrameTest = meaning("the reply to a PING", (frame) => frame.type === frameType.ping && frame.flags === frameFlag.ack)
