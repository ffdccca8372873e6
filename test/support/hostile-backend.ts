/**
 * A misbehaving machine behind a proxy path, or a misbehaving node agent. It writes bytes to a plain socket, or over
 * TLS, without a library. The first segment of the path selects the response: `/endless-body/x`; an unknown one gives
 * an ordinary response.
 */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { gzipSync } from "node:zlib"
import type { ServingPair } from "../../runtime/launch/certificates.ts"

export interface HostileBackend {
  readonly port: number
  /** Everything it received, per connection, as Latin-1; includes connections that sent nothing. */
  readonly heard: readonly string[]
  /** The number of open connections. */
  connections(): number
  /** Bytes that it has sent on all connections. */
  bytesSaid(): number
  stop(): Promise<void>
}

type Answer = (socket: Socket, head: string) => void

const ok = "HTTP/1.1 200 OK\r\n"
const say =
  (...texts: readonly (Buffer | string)[]): Answer =>
  (socket) => {
    for (const text of texts) socket.write(Buffer.isBuffer(text) ? text : Buffer.from(text, "latin1"))
  }
const sayAndEnd =
  (...texts: readonly (Buffer | string)[]): Answer =>
  (socket, head) => {
    say(...texts)(socket, head)
    socket.end()
  }

/** Sends `first`, then `piece` forever, as fast as the reader allows. */
const endless =
  (first: string, piece: string): Answer =>
  (socket) => {
    const block = Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length)), "latin1")
    const more = (): void => {
      while (!socket.destroyed && socket.write(block));
    }
    socket.on("drain", more)
    socket.write(Buffer.from(first, "latin1"))
    more()
  }

const html = "Content-Type: text/html\r\n"
const body = "Content-Length: 2\r\n\r\nok"
const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n"
const chunked = "Transfer-Encoding: chunked\r\n\r\n"

/** Responses that end; each takes a moment. */
export const finiteAnswers: Readonly<Record<string, Answer>> = {
  close: (socket) => void socket.end(),
  reset: (socket) => void socket.resetAndDestroy(),
  garbage: sayAndEnd(Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 197) % 256))),
  "http-0.9": sayAndEnd("<html>old</html>"),
  "http-2": sayAndEnd("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "http-3": sayAndEnd("HTTP/3.0 200 OK\r\n", body),
  request: sayAndEnd("GET / HTTP/1.1\r\nHost: you\r\n\r\n"),
  "status-000": sayAndEnd("HTTP/1.1 000 None\r\n", body),
  "status-042": sayAndEnd("HTTP/1.1 042 Few\r\n", body),
  "status-42": sayAndEnd("HTTP/1.1 42 Few\r\n", body),
  "status-099": sayAndEnd("HTTP/1.1 099 Few\r\n", body),
  "status-600": sayAndEnd("HTTP/1.1 600 Many\r\n", body),
  "status-999": sayAndEnd("HTTP/1.1 999 Many\r\n", body),
  "status-1000": sayAndEnd("HTTP/1.1 1000 Many\r\n", body),
  "status-negative": sayAndEnd("HTTP/1.1 -200 OK\r\n", body),
  "status-word": sayAndEnd("HTTP/1.1 two OK\r\n", body),
  "reason-none": sayAndEnd("HTTP/1.1 200\r\n", body),
  "reason-controls": sayAndEnd("HTTP/1.1 200 a\x01\x7f\x00b\r\n", body),
  "reason-latin1": sayAndEnd("HTTP/1.1 200 caf\xe9\r\n", body),
  "reason-long": sayAndEnd(`HTTP/1.1 200 ${"r".repeat(1_000_000)}\r\n`, body),
  "header-long": sayAndEnd(ok, `X: ${"x".repeat(1_000_000)}\r\n`, body),
  "header-name-long": sayAndEnd(ok, `${"x".repeat(1_000_000)}: 1\r\n`, body),
  "header-many": sayAndEnd(ok, "a: b\r\n".repeat(10_000), body),
  "header-flood": sayAndEnd(ok, "a: b\r\n".repeat(1_000_000), body),
  "header-nul": sayAndEnd(ok, "X: a\x00b\r\n", body),
  "header-controls": sayAndEnd(ok, "X: a\x01\x1b\x7fb\r\n", body),
  "header-latin1": sayAndEnd(ok, "X: caf\xe9\r\n", body),
  "header-folded": sayAndEnd(ok, "X: a\r\n b\r\n", body),
  "header-no-colon": sayAndEnd(ok, "nonsense\r\n", body),
  "header-no-name": sayAndEnd(ok, ": x\r\n", body),
  "header-blank-name": sayAndEnd(ok, "a b: x\r\n", body),
  "header-prototype": sayAndEnd(ok, "__proto__: x\r\nconstructor: y\r\ntoString: z\r\n", body),
  "header-pseudo": sayAndEnd(ok, ":status: 500\r\n", body),
  "header-bare-cr": sayAndEnd(ok, "X: a\rSet-Cookie: b\r\n", body),
  "length-two": sayAndEnd(ok, "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!"),
  "length-list": sayAndEnd(ok, "Content-Length: 2, 2\r\n\r\nok"),
  "length-negative": sayAndEnd(ok, "Content-Length: -1\r\n\r\nok"),
  "length-huge": sayAndEnd(ok, "Content-Length: 99999999999999999999999\r\n\r\nok"),
  "length-word": sayAndEnd(ok, "Content-Length: 0x2\r\n\r\nok"),
  "length-short": sayAndEnd(ok, "Content-Length: 200\r\n\r\nok"),
  "length-long": sayAndEnd(ok, "Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"),
  "length-and-chunked": sayAndEnd(ok, "Content-Length: 2\r\n", chunked, "2\r\nok\r\n0\r\n\r\n"),
  "encoding-unknown": sayAndEnd(ok, "Transfer-Encoding: rot13\r\n\r\nbx"),
  "encoding-twice": sayAndEnd(ok, "Transfer-Encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
  "chunk-bad-size": sayAndEnd(ok, chunked, "zz\r\nok\r\n"),
  "chunk-huge-size": sayAndEnd(ok, chunked, "fffffffffffffffff\r\nok\r\n"),
  "chunk-negative": sayAndEnd(ok, chunked, "-2\r\nok\r\n"),
  "chunk-no-end": sayAndEnd(ok, chunked, "2\r\nok\r\n"),
  "chunk-extension": sayAndEnd(ok, chunked, `2;${"x".repeat(100_000)}\r\nok\r\n0\r\n\r\n`),
  "chunk-extensions": sayAndEnd(ok, chunked, `1;${"x".repeat(10_000)}\r\no\r\n`.repeat(200), "0\r\n\r\n"),
  "trailers-forbidden": sayAndEnd(
    ok,
    chunked,
    "2\r\nok\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a\r\nX-Sum: 1\r\n__proto__: 1\r\n\r\n",
  ),
  "trailers-long": sayAndEnd(ok, chunked, "2\r\nok\r\n0\r\n", `X: ${"x".repeat(1_000_000)}\r\n\r\n`),
  "trailers-controls": sayAndEnd(ok, chunked, "2\r\nok\r\n0\r\nX: a\x01b\r\n\r\n"),
  "many-continues": sayAndEnd("HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000), ok, body),
  "few-continues": sayAndEnd("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(50), ok, body),
  "switch-unasked": say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello"),
  "switch-no-upgrade": sayAndEnd("HTTP/1.1 101 Switching Protocols\r\n\r\nhello"),
  "upgrade-in-200": sayAndEnd(ok, "Connection: Upgrade\r\nUpgrade: h2c\r\n", body),
  "bodiless-with-body": sayAndEnd("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"),
  "not-modified-with-body": sayAndEnd("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"),
  "location-long": sayAndEnd("HTTP/1.1 302 Found\r\n", `Location: /${"x".repeat(10_000)}\r\n`, body),
  "location-two": sayAndEnd("HTTP/1.1 302 Found\r\n", "Location: /a\r\nLocation: http://169.254.169.254/\r\n", body),
  "html-in-bad-gzip": sayAndEnd(ok, html, "Content-Encoding: gzip\r\n", body),
  "html-in-cut-gzip": sayAndEnd(ok, html, "Content-Encoding: gzip\r\n\r\n", gzipSync("<a href=/x>".repeat(1000)).subarray(0, 60)),
  "html-of-tags": sayAndEnd(ok, html, "\r\n", "<a<a".repeat(250_000)),
  "html-of-links": sayAndEnd(ok, html, "\r\n", "<a href=/>".repeat(100_000)),
  "tiny-chunks": sayAndEnd(ok, chunked, "1\r\na\r\n".repeat(100_000), "0\r\n\r\n"),
}

/** Responses that never end. */
export const endlessAnswers: Readonly<Record<string, Answer>> = {
  silence: () => undefined,
  "half-head": say("HTTP/1.1 200 OK\r\nX: "),
  "half-body": say(ok, "Content-Length: 100\r\n\r\nhalf"),
  "head-in-drips": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n")
    const timer = setInterval(() => socket.write("a: b\r\n"), 50)
    socket.on("close", () => clearInterval(timer))
  },
  "endless-head": endless("HTTP/1.1 200 OK\r\n", "a: b\r\n"),
  "endless-header": endless("HTTP/1.1 200 OK\r\nX: ", "x"),
  "endless-reason": endless("HTTP/1.1 200 ", "x"),
  "endless-continues": endless("", "HTTP/1.1 100 Continue\r\n\r\n"),
  "endless-body": endless(`${ok}Content-Type: text/plain\r\n\r\n`, "x"),
  "endless-chunks": endless(`${ok}${chunked}`, `40\r\n${"x".repeat(64)}\r\n`),
  "endless-extension": endless(`${ok}${chunked}1;`, "x"),
  "endless-trailers": endless(`${ok}${chunked}0\r\n`, "a: b\r\n"),
  "endless-tags": endless(`${ok}${html}\r\n`, "<a"),
  "switch-and-listen": say(switching),
  "switch-and-drop": sayAndEnd(switching),
  "switch-and-deaf": (socket) => {
    socket.pause()
    socket.write(switching)
  },
  "endless-switch": endless(switching, "x"),
  "endless-refusal": endless("HTTP/1.1 500 No\r\n\r\n", "no "),
  "half-refusal": say("HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nhalf"),
}

export interface HostileOptions {
  /** Serves TLS with it. */
  readonly pair?: ServingPair
  /** The name of the response to every request. */
  readonly always?: string
  /** Keeps its half of a connection open after the other half is closed. */
  readonly staysHalfOpen?: boolean
}

/** Listens on a free loopback port. */
export async function startHostileBackend(options: HostileOptions = {}): Promise<HostileBackend> {
  const sockets = new Set<Socket>()
  const heard: string[] = []
  let saidBefore = 0
  const serve = (socket: Socket): void => {
    const place = heard.push("") - 1
    let answered = false
    sockets.add(socket)
    socket.on("error", () => undefined)
    if (options.staysHalfOpen !== true) socket.on("end", () => socket.destroy())
    socket.on("close", () => {
      saidBefore += socket.bytesWritten
      sockets.delete(socket)
    })
    socket.on("data", (bytes: Buffer) => {
      heard[place] += bytes.toString("latin1")
      const head = heard[place] ?? ""
      // Answers TLS bytes at once, since this port speaks plain text.
      if (answered || !(head.includes("\r\n\r\n") || head.startsWith("\x16"))) return
      answered = true
      const name = options.always ?? /^\S+ \/([^/? ]*)/.exec(head)?.[1] ?? ""
      const answer = finiteAnswers[name] ?? endlessAnswers[name] ?? sayAndEnd(ok, body)
      answer(socket, head)
    })
  }
  const { pair } = options
  const halfOpen = { allowHalfOpen: true }
  const server: Server =
    pair === undefined ? createServer(halfOpen, serve) : createTlsServer({ ...halfOpen, cert: pair.certificate, key: pair.key }, serve)
  // Under TLS this includes connections whose handshake never completed.
  const accepted = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    accepted.add(socket)
    socket.on("close", () => accepted.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    // A server that listens on an address has both.
    port: (server.address() as AddressInfo).port,
    heard,
    connections: () => sockets.size,
    bytesSaid: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, saidBefore),
    stop: () =>
      new Promise((resolve) => {
        for (const socket of [...sockets, ...accepted]) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
