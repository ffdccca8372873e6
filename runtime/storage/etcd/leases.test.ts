import { expect, test } from "vitest"
import { status } from "@grpc/grpc-js"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { type Connection, RpcError } from "./connection.ts"
import { Leases } from "./leases.ts"
import { type Call, leaseGrantCall } from "./protocol.ts"

interface Setup {
  readonly leases: Leases
  readonly clock: ReturnType<typeof createManualClock>
  readonly granted: { id: number; ttl: number }[]
  fail(error: RpcError): void
}

function setUp(limits = { reuseSeconds: 60, valuesMax: 1000 }): Setup {
  const clock = createManualClock()
  const granted: { id: number; ttl: number }[] = []
  const faults: RpcError[] = []
  let drawn = 0
  const connection: Connection = {
    async call<Request, Response>(call: Call<Request, Response>, request: Request): Promise<Response> {
      const fault = faults.shift()
      if (fault !== undefined) throw fault
      const { id, ttl } = leaseGrantCall.request.decode(call.request.encode(request))
      granted.push({ id, ttl })
      return call.response.decode(leaseGrantCall.request.encode({ ttl, id }))
    },
    watch: () => expect.fail("no watch"),
    close: () => undefined,
  }
  const random = { uuid: () => "", integer: () => drawn++, bytes: (length: number) => Buffer.alloc(length) }
  return { leases: new Leases({ connection, clock, random, limits }), clock, granted, fail: (error) => void faults.push(error) }
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

test("a lease takes so many values and no more, also of those that come at once", async () => {
  const { granted, leases } = setUp({ reuseSeconds: 60, valuesMax: 3 })
  const ids = await Promise.all(Array.from({ length: 7 }, () => leases.leaseFor(3600)))
  expect(ids).toEqual([1, 1, 1, 2, 2, 2, 3])
  expect(granted).toHaveLength(3)
})

test("a lease that is gone, or was not granted, is not used again", async () => {
  const { fail, granted, leases } = setUp()
  const first = await leases.leaseFor(3600)
  await leases.drop(first)
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
