/** The order of the server's filters, and middleware that a program adds when it starts the server. */
import { describe, expect, it, onTestFinished } from "vitest"
import { AuditCounts } from "../runtime/audit/counts.ts"
import { createApp } from "../runtime/app.ts"
import { connectionSteps, operationSteps } from "../runtime/filters/chain.ts"
import { createLog } from "../runtime/launch/logging.ts"
import { ApiError, type Filter, RESPONSE_ALREADY_SENT, startServer } from "../runtime/library.ts"
import { createHttpClient, type AnswerHeaders, type Protocol } from "./support/http-client.ts"
import { startInProcess } from "./support/in-process.ts"

interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly text: string
}

type Ask = (path: string, method?: string, more?: Readonly<Record<string, string>>, body?: string) => Promise<Answer>

async function serverWith(protocol: Protocol, ...middleware: readonly Filter[]): Promise<Ask> {
  const server = await startServer({ middleware })
  const client = createHttpClient({ protocol, port: Number(new URL(server.url).port), authority: server.caPem })
  onTestFinished(async () => {
    client.close()
    await server.stop()
  })
  return async (path, method = "GET", more = {}, sent = undefined) => {
    const asked = { method, path, headers: { authorization: `Bearer ${server.token}`, ...more } }
    const { status, headers, body } = await client.send({ ...asked, ...(sent !== undefined && { body: Buffer.from(sent) }) })
    return { status, headers, text: body.toString() }
  }
}

/**
 * The reference's chain, outermost first. The second text is the step of this server that does the same, the third why
 * there is none.
 */
const reference: readonly (readonly [step: string, ours: string, why?: string])[] = [
  ["auditInit", "auditInit"],
  ["panicRecovery", "", "recovery is around all steps: those before it cannot fail"],
  ["muxAndDiscoveryComplete", "", "the routes know themselves whether kinds are missing yet"],
  ["receivedTimestamp", "", "auditBegin takes the time of what is recorded"],
  ["requestInfo", "requestInfo"],
  ["own routine", "", "Go's alone"],
  ["latencyTrackers", "requestCounts"],
  ["tracing", "", "not built"],
  ["httpLogging", "httpLogging"],
  ["retryAfter", "retryAfter"],
  ["hsts", "hsts"],
  ["cacheControl", "cacheControl"],
  ["goaway", "goaway"],
  ["watch termination tracking", "", "waitGroup counts watches as well"],
  ["waitGroup", "waitGroup"],
  ["requestDeadline", "auditBegin"],
  ["timeoutForNonLongRunning", "deadline"],
  ["warningRecorder", "vendorHint"],
  ["cors", "cors"],
  ["authentication", "authentication"],
  ["audit", "audit"],
  ["impersonation", "impersonation"],
  ["priorityAndFairness or maxInFlight", "maxInFlight"],
  ["authorization", "authorization"],
]

/** Steps that these options turn on. */
const everyStep = {
  "shutdown-send-retry-after": true,
  "strict-transport-security-directives": ["max-age=31536000"],
  "goaway-chance": 0.01,
  "cors-allowed-origins": [/^https:\/\/example\.com$/],
} as const

it("the filters run in the order of the reference", async () => {
  const { server, stop } = await startInProcess({ store: "memory", vendor: "orch" })
  onTestFinished(stop)
  const { parts } = server
  const debugging = createLog({ format: "text", verbosity: 4, write: () => undefined })
  const audited = { counts: new AuditCounts(), begin: () => {}, beforeWrite: () => {}, stop: async () => {} }
  const namesOf = (more: Partial<typeof parts>): string[] => connectionSteps({ ...parts, ...more }, () => undefined).map(({ name }) => name)
  expect(reference.filter(([, ours, why]) => (ours === "") !== (why !== undefined))).toEqual([])
  const inOrder = reference.map(([, ours]) => ours).filter((name) => name !== "")
  expect(namesOf({ audit: audited, log: debugging, options: { ...parts.options, ...everyStep } })).toEqual(inOrder)
  const optional = ["httpLogging", "retryAfter", "hsts", "goaway", "auditBegin", "cors", "audit"]
  expect(namesOf({})).toEqual(inOrder.filter((name) => !optional.includes(name)))
  expect(operationSteps({ ...parts, audit: audited }).map(({ name }) => name)).toEqual(["auditBegin", "audit", "authorization"])
  expect(operationSteps(parts).map(({ name }) => name)).toEqual(["authorization"])
  const last: Filter = function last(_context, next) {
    return next()
  }
  const everywhere = createApp(parts, [last]).routes.filter(({ path }) => path === "/*")
  expect(everywhere.map(({ handler }) => handler.name)).toEqual(["last"])
})

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  it("a middleware knows user and resource, may be asynchronous, and runs code after the response", async () => {
    const seen: string[] = []
    const get = await serverWith(protocol, async ({ env: { request, outgoing } }, next) => {
      await new Promise((resolve) => setImmediate(resolve))
      outgoing.setHeader("x-seen", "yes")
      await next()
      const { verb, resource, name } = request.info
      seen.push(`${request.user.name} ${verb} ${resource} ${name} ${outgoing.statusCode}`)
    })
    const found = await get("/api/v1/namespaces/default")
    expect([found.status, found.headers["x-seen"]]).toEqual([200, "yes"])
    expect((await get("/api/v1/namespaces/other")).status).toBe(404)
    expect((await get("/version")).status).toBe(200)
    expect(seen).toEqual(["admin get namespaces default 200", "admin get namespaces other 404", "admin get   200"])
  })

  it("a middleware responds with a Status, with a Response, or by writing to the connection", async () => {
    const get = await serverWith(protocol, async (c, next) => {
      const { request, outgoing } = c.env
      switch (request.info.name) {
        case "refused":
          throw new ApiError(403, "Forbidden", "not today")
        case "replied":
          return c.json({ reply: c.req.path }, 202)
        case "written":
          outgoing.writeHead(203)
          outgoing.end(Buffer.from("written"))
          return RESPONSE_ALREADY_SENT
        default:
          return next()
      }
    })
    const refused = await get("/api/v1/namespaces/refused")
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([403, "not today"])
    const replied = await get("/api/v1/namespaces/replied?pretty=1")
    expect([replied.status, replied.text]).toEqual([202, '{"reply":"/api/v1/namespaces/replied"}'])
    expect(replied.headers["audit-id"]).toEqual(expect.any(String))
    const written = await get("/api/v1/namespaces/written")
    expect([written.status, written.text]).toEqual([203, "written"])
    expect((await get("/api/v1/namespaces/default")).status).toBe(200)
  })

  it("a middleware has a Request of the web, and its Response may be a stream with cookies", async () => {
    const get = await serverWith(protocol, async ({ req, env }, next) => {
      if (env.request.info.name !== "echo") return next()
      const { raw } = req
      const sent = { isRequest: raw instanceof Request, url: raw.url, kind: req.header("content-type"), body: await req.json() }
      const pieces = [JSON.stringify(sent), req.query("dryRun") ?? "", String(raw.signal.aborted)]
      const body = new ReadableStream({
        pull(stream) {
          const piece = pieces.shift()
          if (piece === undefined) stream.close()
          else stream.enqueue(new TextEncoder().encode(piece))
        },
      })
      const headers = new Headers({ "cache-control": "private" })
      headers.append("set-cookie", "a=1")
      headers.append("set-cookie", "b=2")
      return new Response(body, { status: 207, headers })
    })
    const echo = "/api/v1/namespaces/echo?dryRun=All"
    const answer = await get(echo, "PATCH", { "content-type": "application/merge-patch+json", host: "localhost" }, '{"a":"ü"}')
    const url = `https://localhost${echo}`
    const told = { isRequest: true, url, kind: "application/merge-patch+json", body: { a: "ü" } }
    expect([answer.status, answer.text]).toEqual([207, `${JSON.stringify(told)}Allfalse`])
    expect([answer.headers["set-cookie"], answer.headers["cache-control"]]).toEqual([["a=1", "b=2"], "private"])
    expect(answer.headers["audit-id"]).toEqual(expect.any(String))
  })

  it("a Response may be a stream that outlasts the request and its deadline", async () => {
    const get = await serverWith(protocol, ({ env: { request } }, next) => {
      if (request.info.name !== "events") return next()
      const ended = new Promise<void>((resolve) => request.onEnd(resolve))
      const body = new ReadableStream({
        async start(stream) {
          stream.enqueue(new TextEncoder().encode("first, "))
          await ended
          stream.enqueue(new TextEncoder().encode("last"))
          stream.close()
        },
      })
      return Promise.resolve(new Response(body))
    })
    const answer = await get("/api/v1/namespaces/events?timeout=1s")
    expect([answer.status, answer.text]).toEqual([200, "first, last"])
  })

  it.each([
    ["an Error", new Error("broken")],
    ["a string", "broken"],
  ])("a middleware that throws %s causes a Status without the error's text", async (_what, thrown) => {
    const get = await serverWith(protocol, ({ env }, next) => {
      if (env.request.info.name === "default") throw thrown
      return next()
    })
    const failed = await get("/api/v1/namespaces/default")
    expect([failed.status, JSON.parse(failed.text).reason]).toEqual([500, "InternalError"])
    expect(failed.text).not.toContain("broken")
    expect((await get("/api/v1/namespaces")).status).toBe(200)
  })

  it("routing and authorization see the same path: escapes are decoded, and a line break stays part of the name", async () => {
    const get = await serverWith(protocol)
    expect((await get("/%61pi/v1/namespaces/default")).status).toBe(200)
    expect((await get("/api%2Fv1%2Fnamespaces%2Fdefault")).status).toBe(200)
    const broken = await get("/api/v1/namespaces/a%0Ab")
    expect([broken.status, JSON.parse(broken.text).details.name]).toEqual([404, "a\nb"])
    const unreadable = await get("/api/v1/namespaces/%ff")
    expect([unreadable.status, JSON.parse(unreadable.text).reason]).toEqual([400, "BadRequest"])
    expect(unreadable.headers["audit-id"]).toEqual(expect.any(String))
    expect((await get("/api/v1/namespaces/default", "HEAD")).status).toBe(405)
    const backslash = await get("/api/v1/namespaces/a\\b")
    expect([backslash.status, JSON.parse(backslash.text).details.name]).toEqual([404, "a\\b"])
  })

  it.each(["[fd00:0:0::1]:6443", "LOCALHOST", "localhost:443"])("a request to the host %s gets a response", async (host) => {
    const get = await serverWith(protocol)
    expect((await get("/api/v1/namespaces/default", "GET", { host })).status).toBe(200)
  })
})

it.each(["http1", "http2"] as const)(
  "onEnd sees the status of a Response, and a late Response is dropped after the deadline: over %s",
  async (protocol) => {
    const ends: number[] = []
    const get = await serverWith(protocol, async (c, next) => {
      const { request, outgoing } = c.env
      if (request.info.name !== "late" && !request.info.path.startsWith("/livez")) return next()
      request.onEnd(() => ends.push(outgoing.statusCode))
      if (request.info.name !== "late") return next()
      await new Promise<void>((resolve) => request.expiry.addEventListener("abort", resolve))
      return c.json({ reply: "too late" })
    })
    expect((await get("/livez?exclude=none", "HEAD")).headers["content-length"]).toBe("2")
    expect((await get("/livez/none")).status).toBe(404)
    const late = await get("/api/v1/namespaces/late?timeout=10ms")
    expect([late.status, JSON.parse(late.text).reason]).toEqual([504, "Timeout"])
    expect((await get("/livez")).text).toBe("ok")
    expect(ends).toEqual([200, 404, 504, 200])
  },
)
