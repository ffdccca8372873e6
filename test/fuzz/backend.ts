/** The machine behind the proxy paths. It sends whatever the test sets, even bytes that are not HTTP. */
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { AddressInfo, Server } from "node:net"
import { pairFor } from "../support/backend.ts"

export interface HostileBackend {
  readonly port: number
  /** The port of the same responses over TLS, as a node agent serves them. */
  readonly agentPort: number
  /** Sets the next response. */
  says(answer: readonly Buffer[], endless: boolean): void
  stop(): void
}

export async function startHostileBackend(): Promise<HostileBackend> {
  let next: { answer: readonly Buffer[]; endless: boolean } = { answer: [], endless: false }
  const sockets = new Set<Socket>()
  function take(socket: Socket): void {
    sockets.add(socket)
    const { answer, endless } = next
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.once("data", () => {
      for (const bytes of answer) socket.write(bytes)
      const last = answer.at(-1)
      if (endless && last !== undefined && last.length > 0) repeat(socket, last)
      else socket.end()
    })
  }
  const { certificate, key } = await pairFor(["127.0.0.1", "localhost"])
  const plain = createServer(take)
  const agent = createTlsServer({ cert: certificate, key }, take)
  const [port, agentPort] = [await listening(plain), await listening(agent)]
  return {
    port,
    agentPort,
    says: (answer, endless) => {
      next = { answer, endless }
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      plain.close()
      agent.close()
    },
  }
}

function repeat(socket: Socket, bytes: Buffer): void {
  if (socket.destroyed) return
  if (socket.write(bytes)) setImmediate(() => repeat(socket, bytes))
  else socket.once("drain", () => repeat(socket, bytes))
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address: AddressInfo | string | null = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    }),
  )
}
