/** Empty etcd servers for the contract suites, one per case, with a clock that the test controls. */
import { systemClock } from "../../runtime/base/clock.ts"
import { systemRandom } from "../../runtime/base/random.ts"
import { connectEtcd, type Connection, type WatchStream, type WatchStreamEvents } from "../../runtime/storage/etcd/connection.ts"
import { openEtcdStore } from "../../runtime/storage/etcd/etcd-store.ts"
import { newestRevision } from "../../runtime/storage/etcd/ranges.ts"
import { type Call, leaseGrantCall, leaseRevokeCall, type WatchResponse } from "../../runtime/storage/etcd/protocol.ts"
import { createManualClock } from "../contract/manual-clock.ts"
import type { StorePlace } from "../contract/store-fixture.ts"
import { type EtcdBinary, type EtcdServer, startEtcd } from "./etcd.ts"

export interface EtcdPlaces {
  place(): Promise<StorePlace>
  /** Called after the last case. */
  close(): Promise<void>
}

/** While a case runs, the server of the next one starts. */
export function etcdPlaces(binary: EtcdBinary): EtcdPlaces {
  let spare: Promise<EtcdServer> | undefined
  return {
    async place() {
      const server = await (spare ?? startEtcd(binary))
      spare = startEtcd(binary)
      // The next case that awaits it receives the failure; until then nothing may be awaiting it.
      spare.catch(() => undefined)
      return placeOn(server)
    },
    async close() {
      await (await spare)?.dispose()
    },
  }
}

function placeOn(server: EtcdServer): StorePlace {
  const manual = createManualClock()
  const own = connectEtcd({ servers: [server.url] }, systemClock)
  const traffic = observeTraffic()
  const leases = leasesOf({ nowMs: manual.nowMs, connection: traffic.through(own) })
  return {
    clock: {
      ...manual,
      advance(byMs) {
        manual.advance(byMs)
        leases.revokeDue()
      },
    },
    open: () =>
      openEtcdStore({
        address: { servers: [server.url] },
        // Leases use the case's clock; timeouts with a real server use the real one.
        clock: { ...manual, after: systemClock.after },
        random: systemRandom,
        progressDelayMs: 0,
        wrap: (connection) => leases.through(traffic.through(connection)),
      }),
    async quiet() {
      const { happened } = traffic
      if (!traffic.quiet()) return false
      // etcd sends its earlier events before this response. If any arrived, the store is not quiet yet.
      await newestRevision(own)
      return traffic.quiet() && traffic.happened === happened
    },
    async dispose() {
      await leases.revoked()
      own.close()
      await server.dispose()
    },
  }
}

/**
 * etcd expires leases by its own clock. Here this module revokes a lease when the case's clock reaches its end, as etcd
 * does with an expired lease.
 */
function leasesOf({ nowMs, connection: own }: { nowMs: () => number; connection: Connection }) {
  let granted: { readonly id: number; readonly expiresAtMs: number }[] = []
  let revoking: Promise<unknown> = Promise.resolve()
  return {
    through: (connection: Connection): Connection => ({
      call<Request, Response>(call: Call<Request, Response>, request: Request, options?: { timeoutMs?: number }) {
        if (call.path === leaseGrantCall.path) {
          const { id, ttl } = leaseGrantCall.request.decode(call.request.encode(request))
          granted.push({ id, expiresAtMs: nowMs() + ttl * 1000 })
        }
        return connection.call(call, request, options)
      },
      watch: (events) => connection.watch(events),
      close: () => connection.close(),
    }),
    revokeDue(): void {
      const due = granted.filter(({ expiresAtMs }) => expiresAtMs <= nowMs())
      granted = granted.filter((lease) => !due.includes(lease))
      due.sort((one, other) => one.expiresAtMs - other.expiresAtMs)
      revoking = due.reduce(async (before: Promise<unknown>, { id }) => {
        await before
        await own.call(leaseRevokeCall, { id })
      }, revoking)
    },
    revoked: () => revoking,
  }
}

interface Stream {
  /** The stream has delivered all events up to here. */
  revision: number
  /** The revision of the store when the watch began: the watch replays up to here. */
  beganAt: number
}

/** Tracks whether calls are in progress, and whether every watch has replayed the events it missed. */
function observeTraffic() {
  const streams = new Set<Stream>()
  let underWay = 0
  /** Counts started and ended calls, and watch responses. */
  let happened = 0

  function watched(connection: Connection, events: WatchStreamEvents): WatchStream {
    const stream: Stream = { revision: 0, beganAt: Number.POSITIVE_INFINITY }
    streams.add(stream)
    const watch = connection.watch({
      onResponse(response) {
        happened++
        note(stream, response)
        events.onResponse(response)
      },
      onEnd(fault) {
        happened++
        streams.delete(stream)
        events.onEnd(fault)
      },
    })
    return {
      ...watch,
      send(request) {
        stream.revision = (request.create?.startRevision ?? stream.revision + 1) - 1
        watch.send(request)
      },
      cancel() {
        streams.delete(stream)
        watch.cancel()
      },
    }
  }

  return {
    through: (connection: Connection): Connection => ({
      async call(call, request, options) {
        underWay++
        happened++
        try {
          return await connection.call(call, request, options)
        } finally {
          underWay--
          happened++
        }
      },
      watch: (events) => watched(connection, events),
      close: () => connection.close(),
    }),
    get happened() {
      return happened
    },
    quiet: () => underWay === 0 && [...streams].every(({ beganAt, revision }) => revision >= beganAt),
  }
}

function note(stream: Stream, { created, events, header }: WatchResponse): void {
  const revision = header?.revision ?? 0
  if (created) stream.beganAt = revision
  else stream.revision = Math.max(stream.revision, events.at(-1)?.kv?.modRevision ?? revision)
}
