import { expect, test } from "vitest"
import { status } from "@grpc/grpc-js"
import { createManualClock, type ManualClock } from "../../../test/contract/manual-clock.ts"
import { type Connection, RpcError } from "./connection.ts"
import { Leases } from "./leases.ts"
import { type Call, leaseGrantCall } from "./protocol.ts"

/** The shortest time to live that etcd grants. */
const leastTtl = 2

interface Setup {
  readonly leases: Leases
  readonly clock: ManualClock
  readonly granted: { id: number; ttl: number }[]
  fail(error: RpcError): void
  /** Changes the wall clock. */
  setClock(byMs: number): void
}

function setUp(limits = { reuseSeconds: 60, valuesMax: 1000 }): Setup {
  const manual = createManualClock()
  let offsetMs = 0
  const setClock = (byMs: number): void => {
    offsetMs += byMs
  }
  const clock = { ...manual, nowMs: () => manual.nowMs() + offsetMs }
  const granted: { id: number; ttl: number }[] = []
  const faults: RpcError[] = []
  let drawn = 0
  const connection: Connection = {
    async call<Request, Response>(call: Call<Request, Response>, request: Request): Promise<Response> {
      const fault = faults.shift()
      if (fault !== undefined) throw fault
      const { id, ttl } = leaseGrantCall.request.decode(call.request.encode(request))
      granted.push({ id, ttl })
      return call.response.decode(leaseGrantCall.response.encode({ id, ttl: Math.max(ttl, leastTtl) }))
    },
    watch: () => expect.fail("no watch"),
    close: () => undefined,
  }
  const random = { uuid: () => "", integer: () => drawn++, bytes: (length: number) => Buffer.alloc(length) }
  const leases = new Leases({ connection, clock, random, limits })
  return { leases, clock, granted, setClock, fail: (error) => void faults.push(error) }
}

test("values share a lease that lasts a twentieth longer, at most by the reuse time", async () => {
  const { clock, granted, leases } = setUp()
  const first = await leases.leaseFor(600)
  expect(granted).toEqual([{ id: 1, ttl: 630 }])
  clock.advance(30_000)
  expect(await leases.leaseFor(600)).toBe(first)
  clock.advance(1)
  expect(await leases.leaseFor(600)).toBe(2)
  await leases.leaseFor(3600)
  expect(granted.map(({ ttl }) => ttl)).toEqual([630, 630, 3660])
})

test("setting the clock back makes no lease young", async () => {
  const { clock, leases, setClock } = setUp()
  const first = await leases.leaseFor(3600)
  setClock(-3_600_000)
  clock.advance(60_000)
  expect(await leases.leaseFor(3600)).toBe(first)
  clock.advance(1)
  expect(await leases.leaseFor(3600)).not.toBe(first)
})

test("setting the clock forward, or suspending the machine, costs a lease but shortens no value's life", async () => {
  const { granted, leases, setClock } = setUp()
  await leases.leaseFor(3600)
  setClock(3_600_000)
  expect(await leases.leaseFor(3600)).toBe(2)
  // Suspension: only the wall clock has advanced.
  setClock(60_001)
  expect(await leases.leaseFor(3600)).toBe(3)
  setClock(60_000)
  expect(await leases.leaseFor(3600)).toBe(3)
  expect(granted).toHaveLength(3)
})

test("counts the age of a lease from its request, not from its grant", async () => {
  const { clock, leases } = setUp()
  const first = leases.leaseFor(3600)
  clock.advance(60_001)
  expect(await leases.leaseFor(3600)).not.toBe(await first)
})

test("limits the values per lease, also for concurrent calls", async () => {
  const { granted, leases } = setUp({ reuseSeconds: 60, valuesMax: 3 })
  const ids = await Promise.all(Array.from({ length: 7 }, () => leases.leaseFor(3600)))
  expect(ids).toEqual([1, 1, 1, 2, 2, 2, 3])
  expect(granted).toHaveLength(3)
})

test("does not reuse a lease that is gone or was not granted", async () => {
  const { fail, granted, leases } = setUp()
  const first = await leases.leaseFor(3600)
  leases.drop(first)
  expect(await leases.leaseFor(3600)).not.toBe(first)
  fail(new RpcError({ code: status.UNAVAILABLE, details: "no leader" }))
  await expect(leases.leaseFor(15)).rejects.toThrow("no leader")
  expect(await leases.leaseFor(15)).toBe(4)
  expect(granted).toHaveLength(3)
})

test("draws another id when another lease has it", async () => {
  const { fail, leases } = setUp()
  fail(new RpcError({ code: status.FAILED_PRECONDITION, details: "etcdserver: lease already exists" }))
  expect(await leases.leaseFor(10)).toBe(2)
})

test("knows the expiry of the leases granted here", async () => {
  const { clock, leases } = setUp()
  const id = await leases.leaseFor(10)
  expect(leases.expiresAtMs(id)).toBe(clock.nowMs() + 10_000)
  expect(leases.expiresAtMs(0)).toBeUndefined()
  expect(leases.expiresAtMs(2n ** 62n)).toBeUndefined()
})

test("reports the expiry by the wall clock, from the time to live that was granted", async () => {
  const { clock, leases, setClock } = setUp()
  const id = await leases.leaseFor(10)
  clock.advance(4000)
  setClock(-3_600_000)
  expect(leases.expiresAtMs(id)).toBe(clock.nowMs() + 6000)
  const short = await leases.leaseFor(1)
  expect(leases.expiresAtMs(short)).toBe(clock.nowMs() + leastTtl * 1000)
})
