/**
 * Machines behind proxy paths and node agents, in the test's process: servers on loopback, and a network in which every
 * address leads to one of them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import { inMemoryPair, type ServingPair } from "../../runtime/launch/certificates.ts"
import { systemClock } from "../../runtime/base/clock.ts"
import type { Network } from "../../runtime/connect/dialer.ts"

export interface Backend {
  readonly port: number
  /** The requests received, in order. */
  readonly requests: readonly IncomingMessage[]
  /** For each request, whether its client presented a certificate. */
  readonly certified: readonly boolean[]
  /** The number of open connections. */
  connections(): Promise<number>
  stop(): Promise<void>
}

export interface BackendOptions {
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Serves TLS with this pair; requests client certificates and does not verify them. */
  readonly pair?: ServingPair
}

/** Listens on a free loopback port. */
export async function startBackend(options: BackendOptions): Promise<Backend> {
  const requests: IncomingMessage[] = []
  const certified: boolean[] = []
  const upgraded = new Set<Duplex>()
  const { pair, answer, upgrade } = options
  const server: Server =
    pair === undefined
      ? createServer()
      : createTlsServer({ cert: pair.certificate, key: pair.key, requestCert: true, rejectUnauthorized: false })
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    certified.push(isCertified(request))
    answer?.(request, response)
  })
  if (upgrade !== undefined) {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      requests.push(request)
      upgraded.add(socket)
      socket.on("error", () => undefined)
      upgrade(request, socket, head)
    })
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    certified,
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of upgraded) socket.destroy()
      }),
  }
}

function isCertified({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket && Object.keys(socket.getPeerCertificate()).length > 0
}

/** A machine that accepts connections and sends nothing. */
export async function startSilence(): Promise<Pick<Backend, "port" | "connections" | "stop">> {
  const sockets = new Set<Duplex>()
  const server = createPlainServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: async () => sockets.size,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A network that leads everything to `backend`, and records look-ups and dials. */
export interface ScriptedNetwork extends Network {
  readonly dialled: readonly string[]
  readonly lookedUp: readonly string[]
}

/** `names`: the results of successive look-ups of a name; the last one repeats. */
export function networkTo(
  backend: () => Pick<Backend, "port">,
  names: Readonly<Record<string, readonly (readonly string[])[]>> = {},
): ScriptedNetwork {
  const dialled: string[] = []
  const lookedUp: string[] = []
  return {
    dialled,
    lookedUp,
    async lookup(name) {
      const times = lookedUp.filter((one) => one === name).length
      lookedUp.push(name)
      const answers = names[name] ?? []
      return answers[Math.min(times, answers.length - 1)] ?? []
    },
    connect({ address, port }) {
      dialled.push(`${address}:${port}`)
      return connect({ host: "127.0.0.1", port: backend().port })
    },
  }
}

/** A certificate for these names, with its authority. */
export function pairFor(names: readonly string[]): Promise<ServingPair> {
  return inMemoryPair({ names, clock: systemClock })
}
