import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import { guardWebSocket } from "./websocket.ts"

const intervalMs = 20

/** A websocket between two real sockets. `autoPong`: the client answers pings. */
async function connected(autoPong: boolean): Promise<{ client: WebSocket; closed: Promise<unknown> }> {
  const server = createServer()
  const accepting = new WebSocketServer({ server })
  const closed = new Promise<unknown>((resolve) => {
    accepting.on("connection", (websocket: WebSocket, { socket }: IncomingMessage & { socket: Socket }) => {
      guardWebSocket(websocket, socket, intervalMs)
      websocket.on("close", resolve)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong }) // It listens on TCP.
  onTestFinished(() => {
    client.terminate()
    server.close()
  })
  return { client, closed }
}

it("a websocket stays open while its client answers pings, even if it sends nothing else", async () => {
  const { client } = await connected(true)
  for (let pings = 0; pings < 10; pings++) await once(client, "ping")
  expect(client.readyState).toBe(WebSocket.OPEN)
})

it("a websocket is terminated if its client does not answer pings", async () => {
  const { client, closed } = await connected(false)
  let pings = 0
  client.on("ping", () => pings++)
  await closed
  expect(pings).toBeLessThanOrEqual(3)
})
