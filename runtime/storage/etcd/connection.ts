/**
 * The connection to an etcd cluster: one gRPC client per endpoint. Calls are spread over the endpoints that answer, and
 * repeated at another endpoint where that is safe. Watches have connections of their own, so that events never queue
 * behind the pages of a large list.
 */
import { type ChannelCredentials, Client, connectivityState, credentials, Metadata, status } from "@grpc/grpc-js"
import { bindWithoutResource } from "./bound-functions.ts"
import type { Clock } from "../../base/clock.ts"
import { clientContext } from "../../tls/connect.ts"
import { isFault, isTimeout, mayRetryElsewhere, type RpcFault, serverFault } from "./failures.ts"
import { type Call, statusCall, type WatchRequest, type WatchResponse, watchPath, watchRequest, watchResponse } from "./protocol.ts"

/** Addresses of a cluster's members, and its TLS configuration. */
export interface EtcdAddress {
  /** `http://host:port` or `https://host:port`, at least one. */
  readonly servers: readonly string[]
  readonly tls?: EtcdTls
}

/** PEM texts; without an authority the system's are trusted. */
export interface EtcdTls {
  readonly authority?: string
  readonly certificate?: string
  readonly key?: string
}

/** A call that failed. */
export class RpcError extends Error {
  constructor(readonly fault: RpcFault) {
    super(fault.details)
    this.name = "RpcError"
  }
}

/** One open stream of watches. */
export interface WatchStream {
  send(request: WatchRequest): void
  /** The version of the server at the other end of the stream. Throws RpcError. */
  version(): Promise<string>
  cancel(): void
}

export interface WatchStreamEvents {
  onResponse(response: WatchResponse): void
  /** Called once and last; not called after `cancel`. */
  onEnd(fault: RpcFault): void
}

/** Called once with the reason when a server stops serving, and once without one when it serves again. */
export type ServerStateListener = (server: string, fault?: string) => void

/** The driver's interface to etcd; tests inject faults here. */
export interface Connection {
  /** Throws RpcError. */
  call<Request, Response>(call: Call<Request, Response>, request: Request, options?: { timeoutMs?: number }): Promise<Response>
  watch(events: WatchStreamEvents): WatchStream
  /** Calls in flight fail and streams end. */
  close(): void
}

/** Time limit of a call when its caller gives none. The reference uses the request's own time-out, which is longer. */
const callTimeoutMs = 10_000
/** How long an endpoint that did not answer in time is tried last. */
const suspicionMs = 30_000

const channelOptions = {
  "grpc.max_receive_message_length": -1,
  "grpc.max_send_message_length": -1,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  // gRPC's own counters of calls and messages, which it updates for each call; nothing reads them.
  "grpc.enable_channelz": 0,
  // The reference's values: a peer that disappears silently is noticed after 40 seconds.
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
  /** As given in the option. */
  readonly server: string
  suspectUntilMs: number
  /** It was reported as not serving. */
  isDown: boolean
}

/** Called once per store. Connects on first use; throws TypeError for a server that is not a URL. */
export function connectEtcd(address: EtcdAddress, clock: Clock, tell: ServerStateListener = () => {}): Connection {
  bindWithoutResource()
  return new EtcdConnection(address, clock, tell)
}

class EtcdConnection implements Connection {
  private readonly endpoints: readonly Endpoint[]
  private next = 0

  constructor(
    address: EtcdAddress,
    private readonly clock: Clock,
    private readonly tell: ServerStateListener,
  ) {
    this.endpoints = address.servers.map((server) => endpointOf(server, address.tls))
  }

  async call<Request, Response>(
    call: Call<Request, Response>,
    request: Request,
    { timeoutMs = callTimeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Response> {
    const message = call.request.encode(request)
    // Deadlines use the machine's time, whatever clock the store was given: gRPC enforces them.
    const candidates = this.candidates((endpoint) => endpoint.calls)
    const untilMs = Date.now() + timeoutMs
    let failed: RpcError | undefined
    for (const [tried, endpoint] of candidates.entries()) {
      // An endpoint that hangs must leave time for the others.
      const deadline = call.repeatable ? Date.now() + (untilMs - Date.now()) / (candidates.length - tried) : untilMs
      const result = await unary(endpoint.calls, call, message, deadline)
      if (!(result instanceof RpcError)) {
        endpoint.suspectUntilMs = 0
        this.serves(endpoint, call)
        return result
      }
      this.fails(endpoint, serverFault(result.fault))
      if (isTimeout(result.fault)) endpoint.suspectUntilMs = this.clock.elapsedMs() + suspicionMs
      // The error of an endpoint that was reached is more informative than the error of an endpoint that is down.
      if (failed === undefined || !isFault(result.fault, "neverSent")) failed = result
      if (!mayRetryElsewhere(result.fault, call.repeatable)) break
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

  /**
   * Maintenance calls involve no other member and prove nothing: a member without a leader still reports its status.
   */
  private serves(endpoint: Endpoint, { path }: { readonly path: string }): void {
    if (!endpoint.isDown || path.startsWith(maintenance)) return
    endpoint.isDown = false
    this.tell(endpoint.server)
  }

  private fails(endpoint: Endpoint, fault: string | undefined): void {
    if (endpoint.isDown || fault === undefined) return
    endpoint.isDown = true
    this.tell(endpoint.server, fault)
  }

  /** Round robin; connected endpoints first, endpoints known not to answer last. */
  private candidates(clientOf: (endpoint: Endpoint) => Client): readonly Endpoint[] {
    const { endpoints } = this
    if (endpoints.length === 1) return endpoints
    const elapsedMs = this.clock.elapsedMs()
    const first = this.next++ % endpoints.length
    const turned = [...endpoints.slice(first), ...endpoints.slice(0, first)]
    const ranked = turned.map((endpoint) => {
      const rank = rankOf(clientOf(endpoint))
      // While others answer, no call goes to this endpoint and its failure would go unreported.
      if (rank === unreachableRank) this.fails(endpoint, "it cannot be connected to")
      return { endpoint, rank: rank + (endpoint.suspectUntilMs > elapsedMs ? suspectRank : 0) }
    })
    return ranked.sort((left, right) => left.rank - right.rank).map(({ endpoint }) => endpoint)
  }
}

const maintenance = "/etcdserverpb.Maintenance/"
const unreachableRank = 2
/** After every other endpoint. */
const suspectRank = 10

/** Reading the state makes an idle client connect. */
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
  return { calls: make(), watches: make(), server, suspectUntilMs: 0, isDown: false }
}

function secureCredentials({ authority, certificate, key }: EtcdTls): ChannelCredentials {
  return credentials.createFromSecureContext(clientContext({ ca: authority, cert: certificate, key }))
}

/**
 * Makes one call on the channel itself: the layers of `Client` above it (interceptors, a stack trace for every call)
 * double the cost of a call, and none of them is needed here.
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
      // A closed channel throws at once.
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
  // A member that loses its leader ends the stream instead of becoming silent.
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
