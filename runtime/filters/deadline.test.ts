import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { anonymous } from "../access/authenticate.ts"
import { deadlineEarlyMs } from "../limits.ts"
import { RequestContext } from "../request.ts"
import { parseRequestInfo } from "../request-info.ts"
import { Exchange } from "../server-env.ts"
import { vendorProfile } from "../vendor.ts"
import { deadline } from "./deadline.ts"

const requestTimeoutMs = 60_000

function setUp() {
  const clock = createManualClock()
  const failed: string[] = []
  const filter = deadline({ clock, requestTimeoutMs, fail: ({ request }, error) => failed.push(`${request.info.path} ${error.code}`) })
  function begin(path: string, query = ""): RequestContext {
    const incoming = new IncomingMessage(new Socket())
    const exchange = new Exchange(incoming, new ServerResponse(incoming))
    const parameters = new URLSearchParams(query)
    const info = parseRequestInfo({ method: "GET", path, watch: parameters.has("watch"), vendor: vendorProfile("orch") })
    exchange.context = new RequestContext(info, parameters, {}, anonymous, exchange.outgoing)
    filter(exchange)
    return exchange.context
  }
  return { clock, failed, begin }
}

it("ends each request at its own time, a moment early at most", () => {
  const { clock, failed, begin } = setUp()
  begin("/first")
  begin("/answered").end()
  clock.advance(deadlineEarlyMs - 1)
  const second = begin("/second")
  clock.advance(deadlineEarlyMs)
  begin("/third")
  begin("/api/v1/pods", "watch")
  begin("/short", "timeout=1s")
  begin("/long", "timeout=2h")
  clock.advance(1000)
  expect(failed).toEqual(["/short 504"])
  clock.advance(requestTimeoutMs - 1000 - 2 * deadlineEarlyMs + 1)
  expect(failed).toEqual(["/short 504", "/first 504", "/second 504"])
  expect(second.expired).toBe(true)
  clock.advance(2 * deadlineEarlyMs)
  expect(failed.slice(3)).toEqual(["/third 504", "/long 504"])
})
