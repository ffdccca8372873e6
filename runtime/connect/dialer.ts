/** Connections to other machines on behalf of clients: address judged, time to connect bounded, TLS as the other end wants it. */
import { lookup } from "node:dns/promises"
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as httpRequest } from "node:http"
import { connect as netConnect, isIP, type Socket } from "node:net"
import { connect as tlsConnect } from "node:tls"
import type { Clock } from "../clock.ts"
import { proxyDialTimeoutMs } from "../limits.ts"
import { type AddressPolicy, dialledAddress } from "./addresses.ts"

/** The network underneath; tests put another one in its place. */
export interface Network {
  /** Every address of a name. Rejects when there is none. */
  readonly lookup: (name: string) => Promise<readonly string[]>
  readonly connect: (to: { readonly address: string; readonly port: number }) => Socket
}

/** The network of this machine. */
export const systemNetwork: Network = {
  lookup: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect: ({ address, port }) => netConnect({ host: address, port }),
}

/** PEM texts for connections to node agents. */
export interface AgentTls {
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

export interface Target {
  readonly scheme: "http" | "https"
  /** A name or an address. */
  readonly host: string
  readonly port: number
  /** Escaped path and query, as they are sent. */
  readonly path: string
  /** agent: the server's own credentials, and the agent's certificate is verified when its authority is known. other: neither. */
  readonly trust: "agent" | "agent-unverified" | "other"
  readonly timeoutMs?: number
}

export interface DialerOptions {
  readonly network: Network
  readonly policy: AddressPolicy
  readonly agentTls: AgentTls
  readonly clock: Clock
}

/** How a request for a target is sent: head only, the caller writes the body and ends it. */
export type Send = (
  target: Target,
  how: { method: string; headers: RequestOptions["headers"]; signal: AbortSignal },
) => Promise<ClientRequest>

/** Made once per server. The answer rejects with AddressError, or with the resolver's error; what comes later is the request's `error` event. */
export function createDialer({ network, policy, agentTls, clock }: DialerOptions): Send {
  return async (target, { method, headers, signal }) => {
    const address = await dialledAddress(target.host, policy, network.lookup)
    signal.throwIfAborted()
    const socket = network.connect({ address, port: target.port })
    const stream = target.scheme === "https" ? encrypted(socket, target, agentTls) : socket
    // The request listens while it has the connection; before and after nobody else would.
    stream.on("error", () => {})
    boundConnecting(stream, clock, target)
    return httpRequest({ method, path: target.path, headers, signal, setHost: false, createConnection: () => stream })
  }
}

/** Until the connection can carry a request, with TLS until both ends agree. */
function boundConnecting(stream: Socket, clock: Clock, { scheme, host, port, timeoutMs = proxyDialTimeoutMs }: Target): void {
  const cancel = clock.after(timeoutMs, () => stream.destroy(new Error(`no connection to ${host}:${port} within ${timeoutMs} ms`)))
  stream.once(scheme === "https" ? "secureConnect" : "connect", cancel)
  stream.once("close", cancel)
}

function encrypted(socket: Socket, { host, trust }: Target, { authority, certificate, key }: AgentTls): Socket {
  const known = trust === "agent" && authority !== undefined
  const stream = tlsConnect({
    socket,
    // The name that the certificate is compared with; the connection is there already.
    host,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: known,
    ...(known && { ca: authority }),
    ...(trust !== "other" && certificate !== undefined && key !== undefined && { cert: certificate, key }),
  })
  socket.on("error", (error) => stream.destroy(error))
  return stream
}

/** The answer to a request, or the connection that it turned into. Either way `socket` is the connection, to be destroyed in the end. */
export type Reply =
  | { readonly upgraded: false; readonly message: IncomingMessage; readonly socket: Socket }
  | { readonly upgraded: true; readonly message: IncomingMessage; readonly socket: Socket; readonly head: Buffer }

/** Resolves with the head of the answer. Rejects when there is none. To be called before the request is ended. */
export function replyTo(request: ClientRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    // Not once: a connection that is destroyed may have more to say.
    request.on("error", reject)
    request.once("response", (message) => resolve({ upgraded: false, message, socket: message.socket }))
    request.once("upgrade", (message: IncomingMessage, socket: Socket, head: Buffer) => resolve({ upgraded: true, message, socket, head }))
  })
}
