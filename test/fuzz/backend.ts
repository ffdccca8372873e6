/** The machine behind the proxy paths. It sends any bytes that the test sets, even ones that are not HTTP. */
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { AddressInfo, Server } from "node:net"
import { pairFor } from "../support/backend.ts"
import { reviewUid } from "./definitions.ts"

/** Characters of a request that are searched for the uid of a review. */
const heardMax = 2000

export interface HostileBackend {
  readonly port: number
  /** The port of the same responses over TLS, as a node agent serves them. */
  readonly agentPort: number
  /** PEM of the certificate of the agent's port. */
  readonly certificate: string
  /** Sets the next response; `reviewUid` in it becomes the uid of the review. Nothing, endlessly, is silence. */
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
    let heard = ""
    let said = false
    socket.on("data", (data: Buffer) => {
      if (said) return
      heard = (heard + data.toString("latin1")).slice(0, heardMax)
      const uid = /"uid":"([-0-9a-f]{36})"/.exec(heard)?.[1]
      // The body of a review may follow its head.
      if (uid === undefined && heard.startsWith("POST") && heard.length < heardMax) return
      said = true
      for (const bytes of answer) socket.write(uid === undefined ? bytes : withUid(bytes, uid))
      const last = answer.at(-1)
      if (endless && last === undefined) return
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
    certificate: String(certificate),
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

function withUid(bytes: Buffer, uid: string): Buffer {
  const at = bytes.indexOf(reviewUid)
  if (at < 0) return bytes
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(uid), bytes.subarray(at + reviewUid.length)])
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
