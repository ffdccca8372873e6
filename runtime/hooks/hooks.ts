/**
 * The client of web hooks: sends a review and returns the answer. Used for conversion of custom objects and for all
 * other calls to configured servers. Connections are kept for further calls and end with the server.
 */
import { Agent, type ClientRequest, type ClientRequestArgs, type IncomingMessage, request as httpRequest } from "node:http"
import type { Socket } from "node:net"
import { type Duplex, PassThrough } from "node:stream"
import type { SecureContext } from "node:tls"
import { formatDuration } from "../base/duration.ts"
import type { JsonValue } from "../base/json.ts"
import { answerHeaderBytesMax, answerHeaderFieldsMax, informationalAnswersMax } from "../base/limits.ts"
import { clientContext } from "../tls/connect.ts"
import { acknowledged, reviewOf } from "./answer.ts"
import { systemAuthorities } from "./authorities.ts"
import { type ConnectionDeps, openConnection } from "./connection.ts"
import { callFailure, HookError } from "./hook-error.ts"
import { hookConnectionsMax, hookIdleMs, hooksKeptMax, hookTimeoutMs } from "./limits.ts"
import { type HookAddress, hookAddress, type HookPlace } from "./place.ts"
import { Semaphore } from "../base/semaphore.ts"

export interface HookCall {
  /** JSON. */
  readonly review: string | Buffer
  /** Whether the answer is a document. Default true; if false, any answer with status 2xx is a success. */
  readonly isAnswered?: boolean
  /** Limit of the whole call. Absent: `hookTimeoutMs`. */
  readonly timeoutMs?: number
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** One per server. */
export interface Hooks {
  /**
   * POSTs a review as JSON and resolves with the document of an answer with status 2xx. Rejects with HookError for any
   * other answer, for a hook that cannot be reached or whose certificate does not verify, and on a timeout. Redirects
   * are not followed.
   */
  post(place: HookPlace, call: HookCall): Promise<JsonValue>
  /** Called when the server stops: closes all connections, and fails calls that wait. */
  close(): void
}

export interface HooksOptions extends ConnectionDeps {
  /** The name in `User-Agent`. */
  readonly userAgent: string
}

/** The state of a hook: its connections, and the turns of calls for one. */
interface Hook {
  readonly agent: HookAgent
  readonly slots: Semaphore
}

/** Called once per server. */
export function createHooks(options: HooksOptions): Hooks {
  const closing = new AbortController()
  // In order of their last use.
  const known = new Map<string, Hook>()

  function hookOf(address: HookAddress): Hook {
    const key = JSON.stringify([address.service ?? address.host, address.port, address.certificates, address.access])
    const hook = known.get(key) ?? { agent: new HookAgent(address, options), slots: new Semaphore(hookConnectionsMax) }
    known.delete(key)
    known.set(key, hook)
    for (const [oldest, { agent }] of known) {
      if (known.size <= hooksKeptMax) break
      known.delete(oldest)
      agent.retire()
    }
    return hook
  }

  return {
    async post(place, { review, isAnswered = true, timeoutMs = hookTimeoutMs, signal }) {
      const address = hookAddress(place)
      const hook = hookOf(address)
      const path = `${address.path}?timeout=${formatDuration(BigInt(timeoutMs) * 1_000_000n)}`
      const outgoing: OutgoingCall = {
        path,
        body: typeof review === "string" ? Buffer.from(review) : review,
        isAnswered,
        headers: {
          host: address.authority,
          "user-agent": options.userAgent,
          accept: "application/json, */*",
          "content-type": "application/json",
          ...(place.access?.authorization !== undefined && { authorization: place.access.authorization }),
        },
      }
      const ending = new AbortController()
      const end = (): void => ending.abort()
      const cancel = options.clock.after(timeoutMs, () => ending.abort(timeIsOver))
      const ends = [closing.signal, ...(signal === undefined ? [] : [signal])]
      for (const each of ends) each.addEventListener("abort", end, { once: true })
      const state = { answered: false }
      try {
        for (const each of ends) each.throwIfAborted()
        return await called(hook, outgoing, { signal: ending.signal, state })
      } catch (error) {
        signal?.throwIfAborted()
        if (closing.signal.aborted) throw new HookError("the server is stopping")
        const url = `https://${address.authority}${path}`
        const at = { url, dialled: hook.agent.dialled, host: address.host, answered: state.answered }
        throw callFailure(error, at, ending.signal.reason === timeIsOver).without(secretsOf(place))
      } finally {
        cancel()
        for (const each of ends) each.removeEventListener("abort", end)
      }
    },
    close() {
      closing.abort()
      for (const { agent } of known.values()) agent.end()
      known.clear()
    },
  }
}

/** Credentials that were sent to a hook, which may repeat them. */
function secretsOf({ access }: HookPlace): readonly string[] {
  const [scheme, credential = ""] = (access?.authorization ?? "").split(" ")
  if (scheme !== "Basic") return [credential]
  const pair = Buffer.from(credential, "base64").toString("utf8")
  return [credential, pair.slice(pair.indexOf(":") + 1)]
}

const timeIsOver = new Error("the time of the call is over")

interface OutgoingCall {
  readonly path: string
  readonly body: Buffer
  readonly isAnswered: boolean
  readonly headers: Readonly<Record<string, string>>
}

async function called(
  { agent, slots }: Hook,
  call: OutgoingCall,
  running: { signal: AbortSignal; state: { answered: boolean } },
): Promise<JsonValue> {
  const turn = slots.take(running.signal)
  if (turn !== undefined) await turn
  try {
    for (;;) {
      const { request, answer } = send(agent, call, running.signal)
      try {
        const message = await answer
        running.state.answered = true
        return await (call.isAnswered ? reviewOf(message) : acknowledged(message))
      } catch (error) {
        // The hook had closed the reused connection before the request arrived.
        const isStale = request.reusedSocket && !running.state.answered && !running.signal.aborted
        if (!isStale || !wasClosed(error)) throw error
      } finally {
        // Aborts the rest of a refused answer; after a complete one, the connection stays with the agent.
        request.destroy()
      }
    }
  } finally {
    slots.release()
  }
}

function wasClosed(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE")
}

/** `answer` resolves with the response once its header has arrived. */
function send(
  agent: HookAgent,
  { path, body, headers }: OutgoingCall,
  signal: AbortSignal,
): { readonly request: ClientRequest; readonly answer: Promise<IncomingMessage> } {
  const request = httpRequest({ method: "POST", path, headers, agent, signal, maxHeaderSize: answerHeaderBytesMax })
  request.maxHeadersCount = answerHeaderFieldsMax
  let informed = 0
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    // Not `once`: a destroyed connection may report further errors.
    request.on("error", reject)
    request.on("close", () => reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })))
    request.on("information", () => {
      if (++informed > informationalAnswersMax) request.destroy(new HookError("too many 1xx informational responses"))
    })
    request.once("upgrade", (_message, socket) => {
      socket.destroy()
      reject(new HookError("the server responded with the status code 101 but did not return more information"))
    })
    request.once("response", resolve)
  })
  request.end(body)
  return { request, answer }
}

/** The agent uses the stream only when there is no error. */
const unused = new PassThrough()

/** Connections to one hook. They are encrypted below node's HTTP client, which treats them as plain. */
class HookAgent extends Agent {
  /** The address that was dialled last. */
  dialled = ""
  private readonly closing = new AbortController()
  private trust: SecureContext | undefined

  constructor(
    private readonly address: HookAddress,
    private readonly deps: ConnectionDeps,
  ) {
    super({ keepAlive: true, maxFreeSockets: hookConnectionsMax, timeout: hookIdleMs })
  }

  override createConnection(_options: ClientRequestArgs, done?: (error: Error | null, stream: Duplex) => void): undefined {
    this.open().then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, unused),
    )
  }

  private open(): Promise<Socket> {
    const { address, deps } = this
    const { certificate, key } = address.access ?? {}
    this.trust ??= clientContext({
      ca: address.certificates ?? systemAuthorities(),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
    })
    const dialling = (dialled: string): void => {
      this.dialled = dialled
    }
    return openConnection(address, { deps, trust: this.trust, dialling, signal: this.closing.signal })
  }

  /** Closes idle connections. Running calls finish. */
  retire(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
    this.maxFreeSockets = 0
  }

  /** Closes all connections. */
  end(): void {
    this.closing.abort()
    this.destroy()
  }
}
