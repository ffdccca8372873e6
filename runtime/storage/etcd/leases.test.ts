import { expect, test } from "vitest"
import { status } from "@grpc/grpc-js"
import { createManualClock, type ManualClock } from "../../../test/contract/manual-clock.ts"
import { type Connection, RpcError } from "./connection.ts"
import { Leases } from "./leases.ts"
import { type Call, leaseGrantCall } from "./protocol.ts"

/** What etcd grants at least. */
const leastTtl = 2

interface Setup {
  readonly leases: Leases
  readonly clock: ManualClock
  readonly granted: { id: number; ttl: number }[]
  fail(error: RpcError): void
  /** Somebody sets the clock on the wall. */
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

test("a clock that is put back makes no lease young", async () => {
  const { clock, leases, setClock } = setUp()
  const first = await leases.leaseFor(3600)
  setClock(-3_600_000)
  clock.advance(60_000)
  expect(await leases.leaseFor(3600)).toBe(first)
  clock.advance(1)
  expect(await leases.leaseFor(3600)).not.toBe(first)
})

test("a clock that is put forward, or a machine that slept, costs a lease and no value its time", async () => {
  const { granted, leases, setClock } = setUp()
  await leases.leaseFor(3600)
  setClock(3_600_000)
  expect(await leases.leaseFor(3600)).toBe(2)
  // What sleeping looks like: only the clock on the wall has gone on.
  setClock(60_001)
  expect(await leases.leaseFor(3600)).toBe(3)
  setClock(60_000)
  expect(await leases.leaseFor(3600)).toBe(3)
  expect(granted).toHaveLength(3)
})

test("a lease that was long in being granted is as old as its question", async () => {
  const { clock, leases } = setUp()
  const first = leases.leaseFor(3600)
  clock.advance(60_001)
  expect(await leases.leaseFor(3600)).not.toBe(await first)
})

test("a lease takes so many values and no more, also of those that come at once", async () => {
  const { granted, leases } = setUp({ reuseSeconds: 60, valuesMax: 3 })
  const ids = await Promise.all(Array.from({ length: 7 }, () => leases.leaseFor(3600)))
  expect(ids).toEqual([1, 1, 1, 2, 2, 2, 3])
  expect(granted).toHaveLength(3)
})

test("a lease that is gone, or was not granted, is not used again", async () => {
  const { fail, granted, leases } = setUp()
  const first = await leases.leaseFor(3600)
  leases.drop(first)
  expect(await leases.leaseFor(3600)).not.toBe(first)
  fail(new RpcError({ code: status.UNAVAILABLE, details: "no leader" }))
  await expect(leases.leaseFor(15)).rejects.toThrow("no leader")
  expect(await leases.leaseFor(15)).toBe(4)
  expect(granted).toHaveLength(3)
})

test("a number that another lease has is drawn again", async () => {
  const { fail, leases } = setUp()
  fail(new RpcError({ code: status.FAILED_PRECONDITION, details: "etcdserver: lease already exists" }))
  expect(await leases.leaseFor(10)).toBe(2)
})

test("the end of a lease is known of those granted here", async () => {
  const { clock, leases } = setUp()
  const id = await leases.leaseFor(10)
  expect(leases.expiresAtMs(id)).toBe(clock.nowMs() + 10_000)
  expect(leases.expiresAtMs(0)).toBeUndefined()
  expect(leases.expiresAtMs(2n ** 62n)).toBeUndefined()
})

test("the end of a lease moves with the clock on the wall, and is that of the time granted", async () => {
  const { clock, leases, setClock } = setUp()
  const id = await leases.leaseFor(10)
  clock.advance(4000)
  setClock(-3_600_000)
  expect(leases.expiresAtMs(id)).toBe(clock.nowMs() + 6000)
  const short = await leases.leaseFor(1)
  expect(leases.expiresAtMs(short)).toBe(clock.nowMs() + leastTtl * 1000)
})
