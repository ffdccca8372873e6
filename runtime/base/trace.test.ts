import { expect, it } from "vitest"
import { TimedTrace, untraced } from "./trace.ts"

/** A trace whose clock shows these times, one after the other, and fails when it is read more often. */
function measuredAt(...times: number[]): TimedTrace {
  return new TimedTrace({ elapsedMs: () => times.shift() ?? expect.unreachable("one reading too many") })
}

it("the answer ends with the request, and bytes that were there are written all the time", () => {
  const trace = measuredAt(100)
  trace.answering()
  expect(trace.until(130)).toEqual([
    ["response-write", 30],
    ["serialize-response-object", 30],
  ])
})

it("making the answer's form and its bytes is told apart from writing it", () => {
  const trace = measuredAt(100, 107, 110)
  trace.answering()
  trace.transformed()
  trace.serialized()
  expect(trace.until(160)).toEqual([
    ["response-write", 50],
    ["serialize-response-object", 53],
    ["transform-response-object", 7],
  ])
})

it("a stream has the time of its writes, and what follows it does not count", () => {
  const trace = measuredAt(0, 10, 25, 40, 42, 50)
  trace.answering()
  for (let write = 0; write < 2; write++) trace.add("response-write", trace.elapsedMs())
  trace.written()
  expect(trace.until(1000)).toEqual([
    ["response-write", 17],
    ["serialize-response-object", 50],
  ])
})

it("an answer that begins again counts from then on, and a part that took no time is left out", () => {
  const trace = measuredAt(10, 70)
  trace.answering()
  trace.answering()
  expect(trace.until(70)).toEqual([])
})

it("waits are summed, also those that fail and those that run at once", async () => {
  const trace = measuredAt(0, 5, 20, 50, 55)
  const waits = [trace.during("etcd", Promise.resolve("read"))]
  expect(await waits[0]).toBe("read")
  const atOnce = await Promise.allSettled([
    trace.during("etcd", Promise.reject(new Error("lost"))),
    measuredAt(7, 8).during("etcd", Promise.resolve()),
  ])
  expect(atOnce.map(({ status }) => status)).toEqual(["rejected", "fulfilled"])
  expect(trace.until(60)).toEqual([["etcd", 35]])
})

it("a wait that is not measured is the promise itself", () => {
  const wait = Promise.resolve()
  expect(untraced.during("etcd", wait)).toBe(wait)
})
