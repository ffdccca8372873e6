import { Socket } from "node:net"
import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import type { ApiError } from "../base/errors.ts"
import { deadlineEarlyMs } from "../base/limits.ts"
import { RequestReader } from "../http/request/reader.ts"
import { Http1Incoming, Http1Outgoing } from "../http/http1-exchange.ts"
import type { RequestContext } from "../http/request/context.ts"
import { vendorProfile } from "../base/vendor.ts"
import { deadline } from "./deadline.ts"
import { recovered } from "./recovery.ts"

const requestTimeoutMs = 60_000

function setUp() {
  const clock = createManualClock()
  const failed: string[] = []
  const texts: string[] = []
  const fail = ({ info }: RequestContext, error: ApiError): void => {
    failed.push(`${info.path} ${error.code}`)
    texts.push(error.message)
  }
  const reader = new RequestReader(vendorProfile("orch"))
  let answer: () => void = () => undefined
  const step = deadline({ clock, requestTimeoutMs, fail })
  const work = async (request: RequestContext): Promise<void> => {
    expect(step(request)).toBeUndefined()
    await new Promise<void>((resolve) => (answer = resolve))
  }
  /** Sends a request whose handler waits until `answered` is called. */
  function begin(target: string, method = "GET"): { request: RequestContext; answered: () => Promise<unknown> } {
    const incoming = new Http1Incoming(new Socket())
    incoming.url = target
    incoming.method = method
    const outgoing = new Http1Outgoing(incoming)
    const request = reader.read(incoming, outgoing)
    const ended = recovered(request, work, { fail: () => undefined, report: () => undefined })
    return {
      request,
      answered: () => {
        answer()
        return ended
      },
    }
  }
  return { clock, failed, texts, begin }
}

it("ends each request at its own deadline, early by deadlineEarlyMs at most", async () => {
  const { clock, failed, begin } = setUp()
  begin("/first")
  await begin("/answered").answered()
  clock.advance(deadlineEarlyMs - 1)
  const second = begin("/second").request
  clock.advance(deadlineEarlyMs)
  begin("/third")
  begin("/api/v1/pods?watch")
  begin("/short?timeout=1s")
  begin("/long?timeout=2h")
  clock.advance(1000)
  expect(failed).toEqual(["/short 504"])
  clock.advance(requestTimeoutMs - 1000 - 2 * deadlineEarlyMs + 1)
  expect(failed).toEqual(["/short 504", "/first 504", "/second 504"])
  expect(second.expired).toBe(true)
  clock.advance(2 * deadlineEarlyMs)
  expect(failed.slice(3)).toEqual(["/third 504", "/long 504"])
})

it("answers reads and writes with the texts of the reference; clients repeat a write when they find its text", () => {
  const { clock, texts, begin } = setUp()
  begin("/api/v1/pods?timeout=1s")
  begin("/api/v1/namespaces/n/pods?timeout=1s", "POST")
  clock.advance(1000)
  expect(texts).toEqual([
    "Timeout: request did not complete within the allotted timeout",
    "Timeout: request did not complete within requested timeout - context deadline exceeded",
  ])
})
