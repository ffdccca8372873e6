/**
 * The way to an etcd cluster: one gRPC client per endpoint, calls spread over those that answer, and another endpoint tried where that is safe.
 * Watches have connections of their own, so that the pages of a large list never stand before an event.
 */
import { type ChannelCredentials, Client, connectivityState, credentials, Metadata, status } from "@grpc/grpc-js"
import { bindWithoutResource } from "./bound-functions.ts"
import type { Clock } from "../../clock.ts"
import { isFault, isTimeout, mayTryElsewhere, type RpcFault, serverFault } from "./failures.ts"
import { type Call, statusCall, type WatchRequest, type WatchResponse, watchPath, watchRequest, watchResponse } from "./protocol.ts"

/** Where a cluster is, and how it is spoken to. */
export interface EtcdAddress {
  /** `http://host:port` or `https://host:port`, at least one. */
  readonly servers: readonly string[]
  readonly tls?: EtcdTls
}

/** PEM texts; without an authority those of the system are trusted. */
export interface EtcdTls {
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** A call that did not succeed. */
export class RpcError extends Error {
  constructor(readonly fault: RpcFault) {
    super(fault.details)
    this.name = "RpcError"
  }
}

/** One open stream of watches. */
export interface WatchStream {
  send(request: WatchRequest): void
  /** Of the very server that the stream is with. Throws RpcError. */
  version(): Promise<string>
  cancel(): void
}

export interface WatchStreamEvents {
  onResponse(response: WatchResponse): void
  /** Once, and nothing after it; not after `cancel`. */
  onEnd(fault: RpcFault): void
}

/** Told once when a server stops serving, with the reason, and once without one when it serves again. */
export type ServerNews = (server: string, fault?: string) => void

/** What the driver speaks through; tests put faults in between. */
export interface Connection {
  /** Throws RpcError. */
  call<Request, Response>(call: Call<Request, Response>, request: Request, options?: { timeoutMs?: number }): Promise<Response>
  watch(events: WatchStreamEvents): WatchStream
  /** Calls in flight fail, streams end. */
  close(): void
}

/** What a call may take when its caller does not say; the reference leaves it to the request's own time-out, which is longer. */
const callTimeoutMs = 10_000
/** How long an endpoint that did not answer in time comes last. */
const suspicionMs = 30_000

const channelOptions = {
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  // Nobody looks at gRPC's own counts of calls and messages, which are kept for each call.
  "grpc.enable_channelz": 0,
  // The reference's: a peer that is gone without a word is noticed after 40 seconds.
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.min_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 3000,
  // Calls and watches of one endpoint must not share a connection.
  "grpc.use_local_subchannel_pool": 1,
  // Pages are megabytes: the default of 64 KiB costs a round trip per piece.
  "grpc-node.flow_control_window": 4 * 1024 * 1024,
}

interface Endpoint {
  readonly calls: Client
  readonly watches: Client
  /** As the option has it. */
  readonly server: string
  suspectUntilMs: number
  /** It was told of that it does not serve. */
  away: boolean
}

/** Called once per store. Connects on first use; throws TypeError for a server that is no URL. */
export function connectEtcd(address: EtcdAddress, clock: Clock, tell: ServerNews = () => {}): Connection {
  bindWithoutResource()
  return new EtcdConnection(address, clock, tell)
}

class EtcdConnection implements Connection {
  private readonly endpoints: readonly Endpoint[]
  private next = 0

  constructor(
    address: EtcdAddress,
    private readonly clock: Clock,
    private readonly tell: ServerNews,
  ) {
    this.endpoints = address.servers.map((server) => endpointOf(server, address.tls))
  }

  async call<Request, Response>(
    call: Call<Request, Response>,
    request: Request,
    { timeoutMs = callTimeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Response> {
    const message = call.request.encode(request)
    // Deadlines are the machine's time, whatever clock the store was given: gRPC keeps them.
    const candidates = this.candidates((endpoint) => endpoint.calls)
    const untilMs = Date.now() + timeoutMs
    let failed: RpcError | undefined
    for (const [tried, endpoint] of candidates.entries()) {
      // One that hangs must leave time for the others.
      const deadline = call.repeatable ? Date.now() + (untilMs - Date.now()) / (candidates.length - tried) : untilMs
      const result = await unary(endpoint.calls, call, message, deadline)
      if (!(result instanceof RpcError)) {
        endpoint.suspectUntilMs = 0
        this.serves(endpoint, call)
        return result
      }
      this.fails(endpoint, serverFault(result.fault))
      if (isTimeout(result.fault)) endpoint.suspectUntilMs = this.clock.nowMs() + suspicionMs
      // One that was reached says more than those that are away.
      if (failed === undefined || !isFault(result.fault, "neverSent")) failed = result
      if (!mayTryElsewhere(result.fault, call.repeatable)) break
    }
    throw failed ?? new RpcError({ code: status.UNAVAILABLE, details: "no endpoint is known" })
  }

  watch(events: WatchStreamEvents): WatchStream {
    const [endpoint] = this.candidates(({ watches }) => watches)
    if (endpoint === undefined) throw new RpcError({ code: status.UNAVAILABLE, details: "no endpoint is known" })
    return {
      ...openStream(endpoint.watches, events),
      version: async () => {
        const answer = await unary(endpoint.calls, statusCall, statusCall.request.encode({}), Date.now() + callTimeoutMs)
        if (answer instanceof RpcError) throw answer
        return answer.version
      },
    }
  }

  close(): void {
    for (const { calls, watches } of this.endpoints) {
      calls.close()
      watches.close()
    }
  }

  /** What asks no other member proves nothing: one that has no leader still tells its state. */
  private serves(endpoint: Endpoint, { path }: { readonly path: string }): void {
    if (!endpoint.away || path.startsWith(maintenance)) return
    endpoint.away = false
    this.tell(endpoint.server)
  }

  private fails(endpoint: Endpoint, fault: string | undefined): void {
    if (endpoint.away || fault === undefined) return
    endpoint.away = true
    this.tell(endpoint.server, fault)
  }

  /** In turns; those that are connected first, those that are known not to answer last. */
  private candidates(clientOf: (endpoint: Endpoint) => Client): readonly Endpoint[] {
    const { endpoints } = this
    if (endpoints.length === 1) return endpoints
    const nowMs = this.clock.nowMs()
    const first = this.next++ % endpoints.length
    const turned = [...endpoints.slice(first), ...endpoints.slice(0, first)]
    const ranked = turned.map((endpoint) => {
      const rank = rankOf(clientOf(endpoint))
      // As long as others answer nobody calls it, and nobody would hear of it.
      if (rank === unreachableRank) this.fails(endpoint, "it cannot be connected to")
      return { endpoint, rank: rank + (endpoint.suspectUntilMs > nowMs ? suspectRank : 0) }
    })
    return ranked.sort((left, right) => left.rank - right.rank).map(({ endpoint }) => endpoint)
  }
}

const maintenance = "/etcdserverpb.Maintenance/"
const unreachableRank = 2
/** Behind every other. */
const suspectRank = 10

/** Asking for the state makes an idle client connect. */
function rankOf(client: Client): number {
  const state = client.getChannel().getConnectivityState(true)
  if (state === connectivityState.READY) return 0
  return state === connectivityState.TRANSIENT_FAILURE ? unreachableRank : 1
}

function endpointOf(server: string, tls: EtcdTls | undefined): Endpoint {
  const { hostname, port, protocol } = new URL(server)
  const secure = protocol === "https:"
  const target = `${hostname}:${port === "" ? (secure ? 443 : 80) : port}`
  const channelCredentials = secure ? secureCredentials(tls ?? {}) : credentials.createInsecure()
  const make = (): Client => new Client(target, channelCredentials, channelOptions)
  return { calls: make(), watches: make(), server, suspectUntilMs: 0, away: false }
}

function secureCredentials({ authority, certificate, key }: EtcdTls): ChannelCredentials {
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text))
  return credentials.createSsl(pem(authority), pem(key), pem(certificate))
}

/**
 * One call, through the channel itself: the layers of `Client` above it (interceptors, a stack trace for every call) cost as much again as the
 * call, and none of them has anything to do here.
 */
function unary<Request, Response>(
  client: Client,
  call: Call<Request, Response>,
  message: Buffer,
  deadline: number,
): Promise<Response | RpcError> {
  return new Promise((resolve) => {
    let answer: Buffer | undefined
    function end({ code, details }: RpcFault): void {
      if (code !== status.OK) resolve(new RpcError({ code, details }))
      else if (answer === undefined) resolve(new RpcError({ code: status.INTERNAL, details: "an answer without a message" }))
      else resolve(decoded(call, answer))
    }
    try {
      const started = client.getChannel().createCall(call.path, deadline, null, null, null)
      started.start(new Metadata(), {
        onReceiveMetadata: () => {},
        onReceiveMessage: (received: Buffer) => {
          answer = received
        },
        onReceiveStatus: end,
      })
      started.startRead()
      started.sendMessageWithContext({}, message)
      started.halfClose()
    } catch (error) {
      // A channel that was closed throws at once.
      resolve(new RpcError({ code: status.CANCELLED, details: error instanceof Error ? error.message : String(error) }))
    }
  })
}

function decoded<Request, Response>(call: Call<Request, Response>, answer: Buffer): Response | RpcError {
  try {
    return call.response.decode(answer)
  } catch (error) {
    return new RpcError({ code: status.INTERNAL, details: error instanceof Error ? error.message : String(error) })
  }
}

function openStream(client: Client, events: WatchStreamEvents): Pick<WatchStream, "send" | "cancel"> {
  const metadata = new Metadata()
  // A member that lost its leader ends the stream instead of falling silent.
  metadata.set("hasleader", "true")
  let over = false
  const stream = client.makeBidiStreamRequest(
    watchPath,
    (request: WatchRequest) => watchRequest.encode(request),
    (bytes) => watchResponse.decode(bytes),
    metadata,
  )
  function end(fault: RpcFault): void {
    if (over) return
    over = true
    stream.cancel()
    events.onEnd(fault)
  }
  stream.on("data", (response: WatchResponse) => {
    if (!over) events.onResponse(response)
  })
  stream.on("error", (error: Partial<RpcFault> & Error) =>
    end({ code: error.code ?? status.UNKNOWN, details: error.details ?? error.message }),
  )
  stream.on("end", () => end({ code: status.UNAVAILABLE, details: "the watch stream ended" }))
  return {
    send(request) {
      if (!over) stream.write(request)
    },
    cancel() {
      over = true
      stream.cancel()
    },
  }
}
