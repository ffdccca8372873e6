import { once } from "node:events"
import { connect as connectTcp } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { expect, it, onTestFinished } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { inMemoryPair } from "../launch/certificates.ts"
import { type Clock, systemClock } from "../base/clock.ts"
import { connectionsMax, reservedFilesMax } from "../base/limits.ts"
import type { App } from "./env.ts"
import { connectionsWithin } from "./connection-limits.ts"
import { listen, type ListenOptions } from "./listen.ts"

/** A server on which a request for /known authenticates; returns its warnings too. */
async function listening(
  limits: NonNullable<ListenOptions["limits"]>,
  clock: Clock = systemClock,
  times: NonNullable<ListenOptions["times"]> = {},
) {
  const pair = await inMemoryPair({ names: ["127.0.0.1"], clock: systemClock })
  const app: App = (incoming, outgoing) => {
    if (incoming.url === "/known") incoming.account?.identify("admin")
    outgoing.setHeader("content-length", "0")
    outgoing.end()
  }
  const warnings: string[] = []
  const listener = await listen({
    app,
    host: "127.0.0.1",
    port: 0,
    tls: pair,
    limits,
    times,
    clock,
    warn: (message) => warnings.push(message),
  })
  onTestFinished(() => listener.close({ graceMs: 0, clock: systemClock }))
  const open = (localAddress = "127.0.0.1"): TLSSocket => {
    const where = { port: listener.port, host: "127.0.0.1", localAddress, ca: pair.authority }
    const socket = connectTls(where)
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    return socket
  }
  return { port: listener.port, warnings, open }
}

async function answered(socket: TLSSocket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const [chunk] = await once(socket, "data")
  return String(chunk).slice(0, 12)
}

/** Resolves once the socket is closed, with or without an error. */
function closed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => socket.on("close", () => resolve()))
}

it("limits the unauthenticated connections of one address", async () => {
  const { open, warnings } = await listening({ strangersPerAddressMax: 2 })
  const [first, second] = [open(), open()]
  expect(await answered(first, "/")).toBe("HTTP/1.1 200")
  expect(await answered(second, "/")).toBe("HTTP/1.1 200")
  await closed(open())
  expect(warnings).toEqual([expect.stringContaining("strangersPerAddressMax")])
  expect(await answered(second, "/known")).toBe("HTTP/1.1 200")
  const third = open()
  expect(await answered(third, "/")).toBe("HTTP/1.1 200")
  await closed(open())
  // A closed connection makes room as well, even if it never began TLS.
  first.destroy()
  await untilAnswered(open)
})

/** Connects until a connection is accepted: the server notices a closed connection only after a while. */
async function untilAnswered(open: () => TLSSocket): Promise<void> {
  for (;;) {
    const socket = open()
    const isOpen = await Promise.race([
      once(socket, "secureConnect").then(
        () => true,
        () => false,
      ),
      closed(socket).then(() => false),
    ])
    if (isOpen) return
  }
}

it("limits the unauthenticated connections that speak TLS; the oldest makes room after its grace period", async () => {
  const { open, warnings } = await listening({ strangersOpenMax: 2, strangerGraceMs: 100 })
  const [first, second] = [open(), open()]
  expect(await answered(first, "/")).toBe("HTTP/1.1 200")
  expect(await answered(second, "/known")).toBe("HTTP/1.1 200")
  // An authenticated connection takes no room.
  const third = open()
  expect(await answered(third, "/")).toBe("HTTP/1.1 200")
  expect(warnings).toEqual([])
  const isClosed = closed(first)
  const fourth = open()
  expect(await answered(fourth, "/")).toBe("HTTP/1.1 200")
  await isClosed
  expect(warnings).toEqual([expect.stringContaining("strangersOpenMax")])
  // A connection that closes makes room as well.
  third.destroy()
  expect(await answered(open(), "/known")).toBe("HTTP/1.1 200")
  expect(await answered(fourth, "/known")).toBe("HTTP/1.1 200")
  expect(warnings).toHaveLength(1)
})

it("an address with fewer connections takes the place of one with more", async () => {
  const clock = createManualClock()
  const { open, warnings } = await listening({ strangersOpenMax: 3, strangerGraceMs: 1000 }, clock)
  const many = [open(), open(), open()]
  for (const socket of many) expect(await answered(socket, "/")).toBe("HTTP/1.1 200")
  const waiting = open()
  const [oldest, second] = many.map(closed)
  expect(await answered(open("127.0.0.2"), "/")).toBe("HTTP/1.1 200")
  await oldest
  expect(await answered(open("127.0.0.3"), "/")).toBe("HTTP/1.1 200")
  await second
  // Now each address has one.
  let isAnswered = false
  const answer = answered(waiting, "/").then((text) => {
    isAnswered = true
    return text
  })
  await answered(many[2] ?? waiting, "/")
  expect(isAnswered).toBe(false)
  clock.advance(1000)
  expect(await answer).toBe("HTTP/1.1 200")
  expect(warnings).toHaveLength(3)
})

it("answers more clients than may speak TLS at a time if they authenticate", async () => {
  const { open, warnings } = await listening({ strangersOpenMax: 3, strangerGraceMs: 60_000 })
  const answers = await Promise.all(Array.from({ length: 50 }, () => answered(open(), "/known")))
  expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200"]))
  expect(warnings).toEqual([])
})

it("ends connections whose TLS handshake is never begun, or never ends (etcd CVE-2026-73500)", async () => {
  const { port, open } = await listening({}, systemClock, { tlsHandshakeTimeoutMs: 50 })
  const sockets = ["", "\x16", "\x16\x03\x01\x02\x00\x01"].map((hello) => {
    const socket = connectTcp({ host: "127.0.0.1", port })
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.resume()
    if (hello !== "") socket.write(Buffer.from(hello, "latin1"))
    return socket
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))))
  expect(await answered(open(), "/")).toBe("HTTP/1.1 200")
})

it("limits all connections together, silent ones included", async () => {
  const { open, port, warnings } = await listening({ connectionsMax: 2 })
  const silent = connectTcp(port, "127.0.0.1")
  onTestFinished(() => void silent.destroy())
  await once(silent, "connect")
  expect(await answered(open(), "/known")).toBe("HTTP/1.1 200")
  await closed(open())
  expect(warnings).toEqual([expect.stringContaining("connectionsMax")])
})

it("answers many clients that connect at the same moment", async () => {
  const { open } = await listening({})
  const answers = await Promise.all(Array.from({ length: 100 }, () => answered(open(), "/")))
  expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200"]))
})

it("leaves open files for the rest of the server", () => {
  expect(connectionsWithin(1_048_576)).toBe(connectionsMax)
  expect(connectionsWithin(Number.POSITIVE_INFINITY)).toBe(connectionsMax)
  expect(connectionsWithin(10_000)).toBe(10_000 - reservedFilesMax)
  expect(connectionsWithin(1024)).toBe(768)
})
