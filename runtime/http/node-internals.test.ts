import { EventEmitter } from "node:events"
import { createServer } from "node:https"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { createSecureContext } from "node:tls"
import { expect, it } from "vitest"
import { checkNode, checkTls, isPausedByNode, takeListener } from "./node-internals.ts"

const version = `Node ${process.versions.node} lacks`

it("this version of node has everything that is needed", () => expect(() => checkNode()).not.toThrow())

it.each<[string, (connection: Duplex) => void]>([
  ["`_paused`", (connection) => connection.on("data", () => undefined)],
  [
    "`_paused`",
    (connection) =>
      Object.assign(
        connection.on("data", () => undefined),
        { _paused: undefined },
      ),
  ],
  ["one listener for the data", (connection) => Object.assign(connection, { _paused: false })],
])("refuses a node without %s and names its version", (what, serve) => {
  expect(() => checkNode(serve)).toThrow(`${version} ${what}`)
})

it("tries the handle of TLS with the context that is served, and refuses one that takes no bytes", () => {
  const context = createSecureContext({ ca: [] })
  expect(() => checkTls(context)).not.toThrow()
  expect(() => checkTls(context, () => false)).toThrow(`${version} \`receive\``)
})

it.each(["connection", "secureConnection"] as const)("takes node's only listener of %s", (event) => {
  const server = createServer()
  const begin = takeListener(server, event)
  expect([typeof begin, server.listenerCount(event)]).toEqual(["function", 0])
  expect(() => takeListener(server, event)).toThrow(`${version} one listener of its own for "${event}"`)
})

it("takes neither of two listeners, and calls a taken one with its server", () => {
  const heard: unknown[] = []
  const server = new EventEmitter().on("connection", function listener(this: unknown, socket: unknown) {
    heard.push(this, socket)
  })
  const socket = new Socket()
  takeListener(server, "connection")(server, socket)
  expect(heard).toEqual([server, socket])
  const two = new EventEmitter().on("connection", () => undefined).on("connection", () => undefined)
  expect(() => takeListener(two, "connection")).toThrow(version)
})

it("reads whether node has paused a socket", () => {
  const socket = new Socket()
  expect([isPausedByNode(socket), isPausedByNode(Object.assign(socket, { _paused: true }))]).toEqual([false, true])
})
