/** Runs over real sockets: a refused target leaves no connection behind, and a silent one is given up. */
import { once } from "node:events"
import { createServer, type Server, type Socket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { proxyAnswerTimeoutMs, proxyDialTimeoutMs } from "../base/limits.ts"
import { addressPolicy } from "./addresses.ts"
import { type AgentTls, createDialer, type Network, awaitReply, systemNetwork, type Target } from "./dialer.ts"

const stops: (() => void)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server on loopback that accepts connections and sends nothing. */
async function start(agentTls: AgentTls = {}) {
  const clock = createManualClock()
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined))
    socket.resume()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a server on loopback has a port")
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const policy = addressPolicy({ own: () => [], allowedCidrs: ["127.0.0.0/8"], clock })
  const dialled: Socket[] = []
  const connect: Network["connect"] = (to) => {
    const socket = systemNetwork.connect(to)
    dialled.push(socket)
    return socket
  }
  const send = createDialer({ network: { ...systemNetwork, connect }, policy, agentTls, clock })
  const target: Target = { scheme: "http", host: "127.0.0.1", port: address.port, path: "/", trust: "other" }
  return { clock, dialled, sockets, send, target, signal: new AbortController().signal }
}

test.each([
  ["a blank in the path", { path: "/a b" }, {}, "GET"],
  ["a control character in the path", { path: "/a\x01" }, {}, "GET"],
  ["a character beyond Latin-1 in the query", { path: "/?\u2713" }, {}, "GET"],
  ["a control character in a value", {}, { "x-a": "a\x01" }, "GET"],
  ["a line break in a value", {}, { "x-a": "a\r\nb: c" }, "GET"],
  ["a blank in a name", {}, { "a b": "c" }, "GET"],
  ["a method of no characters of one", {}, {}, "G T"],
])("%s is 400 before anything is connected", async (_name, place, headers, method) => {
  const { sockets, send, target, signal } = await start()
  const sent = send({ ...target, ...place }, { method, headers, signal })
  await expect(sent).rejects.toMatchObject({ code: 400, reason: "BadRequest" })
  // Connections are accepted in order, so none was made before this one.
  const request = await send(target, { method: "GET", headers: {}, signal })
  request.on("error", () => undefined).end()
  await expect.poll(() => sockets.length).toBe(1)
  request.destroy()
})

test("TLS that cannot be set up closes the connection", async () => {
  const { dialled, send, target, signal } = await start({ certificate: "none", key: "none" })
  const request = await send({ ...target, scheme: "https", trust: "agent" }, { method: "GET", headers: {}, signal })
  const [error] = await once(request, "error")
  expect(String(error)).toMatch(/PEM/i)
  expect(dialled.map(({ destroyed }) => destroyed)).toEqual([true])
})

test("the signal closes the connection, even after the request has finished", async () => {
  const { sockets, send, target } = await start()
  const controller = new AbortController()
  const request = await send(target, { method: "GET", headers: { connection: "keep-alive" }, signal: controller.signal })
  request.on("error", () => undefined).end()
  const replied = once(request, "response")
  await expect.poll(() => sockets.length).toBe(1)
  sockets[0]?.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n")
  const [message] = await replied
  message.resume()
  await once(message, "end")
  controller.abort()
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
})

test("a name that does not resolve in time, and a response that does not begin in time, are given up", async () => {
  const { clock, sockets, send, target, signal } = await start()
  const policy = addressPolicy({ own: () => [], allowedCidrs: [], clock })
  const network = { ...systemNetwork, lookup: () => new Promise<never>(() => undefined) }
  const slow = createDialer({ network, policy, agentTls: {}, clock })({ ...target, host: "name" }, { method: "GET", headers: {}, signal })
  clock.advance(proxyDialTimeoutMs)
  await expect(slow).rejects.toThrow(`the address of name was not found within ${proxyDialTimeoutMs} ms`)

  const request = await send(target, { method: "POST", headers: {}, signal })
  const replied = awaitReply(request, clock)
  request.write("some")
  await expect.poll(() => sockets[0]?.bytesRead ?? 0).toBeGreaterThan(0)
  // Bytes that the other end has accepted count as progress; bytes that it sends do not.
  clock.advance(proxyAnswerTimeoutMs)
  sockets[0]?.write("HTTP/1.1 200 OK\r\nX: ")
  clock.advance(proxyAnswerTimeoutMs)
  await expect(replied).rejects.toMatchObject({ code: 504, reason: "Timeout" })
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
  expect(clock.nextDueMs()).toBeUndefined()
})
