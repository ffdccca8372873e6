import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { createManualClock, type ManualClock } from "../../test/contract/manual-clock.ts"
import { lingerMs, unreadBodyBytesMax } from "../base/limits.ts"
import { http1Classes } from "./http1-exchange.ts"

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A connection to a server that answers when it gets the first bytes of a body. */
async function connection(): Promise<{ clock: ManualClock; socket: Socket }> {
  const clock = createManualClock()
  const server = createServer(http1Classes, (incoming, outgoing) => {
    incoming.once("data", () => {
      incoming.pause()
      outgoing.end("enough")
      incoming.discardBody(outgoing, clock)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1") // A TCP server has one.
  closers.push(
    () => socket.destroy(),
    () => server.close(),
  )
  return { clock, socket }
}

/** Reads until `count` answers have arrived, and returns the text. */
async function answers(socket: Socket, count: number): Promise<string> {
  let text = ""
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.split("enough").length > count) break
  }
  return text
}

function post(length: number, body: string): string {
  return `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`
}

it("keeps the connection for the next request once the rest was discarded", async () => {
  const { socket } = await connection()
  socket.write(post(5_000_000, "x".repeat(5_000_000)))
  socket.write(post(5, "short"))
  expect((await answers(socket, 2)).match(/200 OK/g)).toHaveLength(2)
})

it.each([
  ["keeps the connection when just as many bytes as are read remain", 0, 2],
  ["ends the connection when one byte more remains", 1, 1],
])("%s", async (_name, more, answered) => {
  const { socket } = await connection()
  const rest = unreadBodyBytesMax + more
  // The server has answered after this byte, and discards the rest.
  socket.write(post(1 + rest, "x"))
  let text = await answers(socket, 1)
  socket.on("data", (chunk) => {
    text += String(chunk)
  })
  const ended = once(socket, "close")
  socket.on("error", () => {})
  socket.write(Buffer.alloc(rest))
  socket.end(post(5, "short"))
  await ended
  expect(text.match(/200 OK/g)).toHaveLength(answered)
})

it("ends the connection of a client that does not complete its body in time", async () => {
  const { clock, socket } = await connection()
  socket.write(post(100, "some"))
  await answers(socket, 1)
  clock.advance(lingerMs)
  socket.resume()
  await once(socket, "close")
})
