import { expect, it } from "vitest"
import { measured, RequestLatencies } from "./request-latencies.ts"

/** Latencies whose clock shows these times, one after the other, and fails when it is read more often. */
function measuredAt(...times: number[]): RequestLatencies {
  return new RequestLatencies({ elapsedMs: () => times.shift() ?? expect.unreachable("one reading too many") })
}

it("the answer ends with the request, and bytes that were there are written all the time", () => {
  const latencies = measuredAt(100)
  latencies.answering()
  expect(latencies.until(130)).toEqual([
    ["response-write", 30],
    ["serialize-response-object", 30],
  ])
})

it("making the answer's form and its bytes is told apart from writing it", () => {
  const latencies = measuredAt(100, 107, 110)
  latencies.answering()
  latencies.transformed()
  latencies.serialized()
  expect(latencies.until(160)).toEqual([
    ["response-write", 50],
    ["serialize-response-object", 53],
    ["transform-response-object", 7],
  ])
})

it("a stream has the time of its writes, and what follows it does not count", () => {
  const latencies = measuredAt(0, 10, 25, 40, 42, 50)
  latencies.answering()
  for (let write = 0; write < 2; write++) latencies.add("response-write", latencies.elapsedMs())
  latencies.written()
  expect(latencies.until(1000)).toEqual([
    ["response-write", 17],
    ["serialize-response-object", 50],
  ])
})

it("an answer that begins again counts from then on, and a part that took no time is left out", () => {
  const latencies = measuredAt(10, 70)
  latencies.answering()
  latencies.answering()
  expect(latencies.until(70)).toEqual([])
})

it("waits are summed, also those that fail and those that run at once", async () => {
  const latencies = measuredAt(0, 5, 20, 50, 55)
  const waits = [measured(latencies, "etcd", Promise.resolve("read"))]
  expect(await waits[0]).toBe("read")
  const atOnce = await Promise.allSettled([
    measured(latencies, "etcd", Promise.reject(new Error("lost"))),
    measured(measuredAt(7, 8), "etcd", Promise.resolve()),
  ])
  expect(atOnce.map(({ status }) => status)).toEqual(["rejected", "fulfilled"])
  expect(latencies.until(60)).toEqual([["etcd", 35]])
})

it("without audit a wait is the promise itself", () => {
  const wait = Promise.resolve()
  expect(measured(undefined, "etcd", wait)).toBe(wait)
})
