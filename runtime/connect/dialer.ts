/**
 * Opens connections to other machines on behalf of clients: checks the address, bounds the time to connect, sets up TLS
 * as the target needs it.
 */
import { lookup } from "node:dns/promises"
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from "node:http"
import { connect as netConnect, isIP, type Socket } from "node:net"
import type { Clock } from "../base/clock.ts"
import { ApiError, badRequest } from "../base/errors.ts"
import {
  answerHeaderBytesMax,
  answerHeaderFieldsMax,
  informationalAnswersMax,
  proxyAnswerTimeoutMs,
  proxyDialTimeoutMs,
  tcpKeepAliveMs,
} from "../base/limits.ts"
import { connectTls } from "../tls/connect.ts"
import { type AddressPolicy, resolveAllowedAddress } from "./addresses.ts"

/** The network layer; tests replace it. */
export interface Network {
  /** Resolves with all addresses of a name. Rejects when there is none. */
  readonly lookup: (name: string) => Promise<readonly string[]>
  readonly connect: (to: { readonly address: string; readonly port: number }) => Socket
}

/** The network of this machine. */
export const systemNetwork: Network = {
  lookup: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect: ({ address, port }) => netConnect({ host: address, port, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs }),
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
  /** Escaped path and query, written to the request line unchanged. */
  readonly path: string
  /**
   * agent: presents the server's client certificate; verifies the agent's certificate if its authority is configured.
   * agent-unverified: presents the client certificate, verifies nothing. other: neither.
   */
  readonly trust: "agent" | "agent-unverified" | "other"
  readonly timeoutMs?: number
}

export interface DialerOptions {
  readonly network: Network
  readonly policy: AddressPolicy
  readonly agentTls: AgentTls
  readonly clock: Clock
}

/**
 * Sends the head of a request to a target; the caller writes the body and ends it. `signal` closes the connection
 * whatever state it is in. The caller always aborts it: an open connection could be used for more requests with the
 * rights of this server.
 */
export type SendRequest = (
  target: Target,
  how: { method: string; headers: OutgoingHttpHeaders; signal: AbortSignal },
) => Promise<ClientRequest>

/**
 * Called once per server. The returned promise rejects with AddressError, with the resolver's error, or with 400 for a
 * request that cannot be written. Later errors arrive as the request's `error` event.
 */
export function createDialer(options: DialerOptions): SendRequest {
  const { network, policy, clock } = options
  return async (target, { method, headers, signal }) => {
    const { timeoutMs = proxyDialTimeoutMs } = target
    const looked = resolveAllowedAddress(target.host, policy, network.lookup)
    const address = await withTimeout(looked, {
      clock,
      timeoutMs,
      fault: `the address of ${target.host} was not found within ${timeoutMs} ms`,
    })
    signal.throwIfAborted()
    // Node calls this only after it has accepted path, method and headers, so a rejected request leaves no connection
    // behind.
    const createConnection = (): Socket => connected(address, target, { ...options, signal })
    const { path } = target
    try {
      const request = httpRequest({
        method,
        path,
        headers,
        signal,
        setHost: false,
        createConnection,
        maxHeaderSize: answerHeaderBytesMax,
      })
      request.maxHeadersCount = answerHeaderFieldsMax
      return request
    } catch (error) {
      throw toBadRequest(error)
    }
  }
}

/** Turns node's errors about path, method and header fields into 400: the client can fix them. */
function toBadRequest(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ERR_UNESCAPED_CHARACTERS")
    return badRequest(
      "the path or the query has a blank, a control character or one beyond Latin-1 in it, which must be escaped: %20 for a blank",
    )
  if (code === "ERR_INVALID_CHAR" || code === "ERR_INVALID_HTTP_TOKEN")
    return badRequest(`the request cannot be passed on: ${error instanceof Error ? error.message : ""}; HTTP/1.1 has no such characters`)
  return error
}

/** Settles as `promise`, or rejects with `fault` after `timeoutMs`. */
function withTimeout<T>(promise: Promise<T>, { clock, timeoutMs, fault }: { clock: Clock; timeoutMs: number; fault: string }): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new Error(fault)))
    promise.then(resolve, reject).finally(cancel)
  })
}

function connected(address: string, target: Target, options: DialerOptions & { signal: AbortSignal }): Socket {
  const { network, agentTls, clock, signal } = options
  const socket = network.connect({ address, port: target.port })
  const stream = target.scheme === "https" ? encrypted(socket, target, agentTls) : socket
  // The request listens while it owns the connection; an `error` before or after that would be unhandled.
  stream.on("error", () => {})
  const end = (): void => void stream.destroy()
  signal.addEventListener("abort", end)
  stream.once("close", () => signal.removeEventListener("abort", end))
  limitConnectTime(stream, clock, target)
  return stream
}

/** Destroys the stream unless it can carry a request in time; for TLS, unless the handshake completes. */
function limitConnectTime(stream: Socket, clock: Clock, { scheme, host, port, timeoutMs = proxyDialTimeoutMs }: Target): void {
  const cancel = clock.after(timeoutMs, () => stream.destroy(new Error(`no connection to ${host}:${port} within ${timeoutMs} ms`)))
  stream.once(scheme === "https" ? "secureConnect" : "connect", cancel)
  stream.once("close", cancel)
}

function encrypted(socket: Socket, { host, trust }: Target, { authority, certificate, key }: AgentTls): Socket {
  const known = trust === "agent" && authority !== undefined
  try {
    const stream = connectTls(socket, {
      // The name that the certificate is compared with; the TCP connection exists already.
      host,
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: known,
      ...(known && { ca: authority }),
      ...(trust !== "other" && certificate !== undefined && key !== undefined && { cert: certificate, key }),
    })
    socket.on("error", (error) => stream.destroy(error))
    return stream
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** The response to a request, or the connection that it was upgraded to. */
export type Reply =
  | { readonly upgraded: false; readonly message: IncomingMessage }
  | { readonly upgraded: true; readonly message: IncomingMessage; readonly socket: Socket; readonly head: Buffer }

/**
 * Resolves with the head of the response. Rejects when there is none, with 504 when none arrives in time:
 * `proxyAnswerTimeoutMs` after the last byte of the request was accepted, at most twice as long. Call it before ending
 * the request.
 */
export function awaitReply(request: ClientRequest, clock: Clock): Promise<Reply> {
  const cancel = limitResponseTime(request, clock)
  let informed = 0
  return new Promise<Reply>((resolve, reject) => {
    // Not `once`: a destroyed connection may report further errors.
    request.on("error", reject)
    // A request destroyed by its signal, or before it has a connection, may close without an error.
    request.on("close", () => reject(new Error("the connection was closed before there was an answer")))
    request.on("information", () => {
      informed++
      if (informed > informationalAnswersMax) request.destroy(new Error(`more than ${informationalAnswersMax} informational answers (1xx)`))
    })
    request.once("response", (message) => resolve({ upgraded: false, message }))
    request.once("upgrade", (message: IncomingMessage, socket: Socket, head: Buffer) => resolve({ upgraded: true, message, socket, head }))
  }).finally(cancel)
}

/** Bytes received before the head is complete do not count as progress: they could trickle in for ever. */
function limitResponseTime(request: ClientRequest, clock: Clock): () => void {
  let taken = 0
  let cancel = clock.after(proxyAnswerTimeoutMs, look)
  function look(): void {
    const { bytesWritten = 0 } = request.socket ?? {}
    if (bytesWritten === taken) {
      request.destroy(new ApiError(504, "Timeout", `the other end has not answered within ${proxyAnswerTimeoutMs} ms`))
      return
    }
    taken = bytesWritten
    cancel = clock.after(proxyAnswerTimeoutMs, look)
  }
  return () => cancel()
}
