/** Requests that hold the event loop, over real connections: the log names them, without what they carry, and `/metrics` shows the delay. */
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { loopHoldMs } from "../runtime/limits.ts"
import { createHttpClient, type HttpAnswer, type HttpClient } from "./support/http-client.ts"
import { type InProcess, plainToken, startInProcess } from "./support/in-process.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const held = "held the event loop"

let at: InProcess
let client: HttpClient

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  expect((await ask("POST", configMaps, configMap("there"))).status).toBe(201)
})
afterAll(async () => {
  client.close()
  await at.stop()
})

const configMap = (name: string): string => JSON.stringify({ metadata: { name }, data: { password: "not for the log" } })

function ask(method: string, path: string, body?: string): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${plainToken}`, ...(body !== undefined && { "content-type": "application/json" }) }
  return client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(body) }) })
}

/** Nothing else has its turn meanwhile. */
function block(): void {
  const untilMs = performance.now() + 2 * loopHoldMs
  while (performance.now() < untilMs);
}

/** What the log says of holds from now on, once it says something. */
async function linesOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = at.log.length
  await work()
  return vi.waitFor(() => {
    const lines = at.log.slice(before).filter((line) => line.includes(held) || line.includes("loop was held"))
    expect(lines.length).toBeGreaterThan(0)
    return lines
  })
}

it("names a request that does so before it waits for anything", async () => {
  const { kinds } = at.server.parts
  const find = vi.spyOn(kinds, "find").mockImplementationOnce((...asked) => {
    block()
    return kinds.find(...asked)
  })
  const lines = await linesOf(() => ask("GET", `${configMaps}/secret-name?fieldManager=secret-value`))
  find.mockRestore()
  expect(lines).toEqual([expect.stringMatching(/ WARN {2}a request held the event loop milliseconds=\d{3} verb=get /)])
  expect(lines[0]).toContain(" path=/api/v1/namespaces/{namespace}/configmaps/{name} user=plain requestBytes=0 answerBytes=")
  expect(lines.join("")).not.toMatch(/secret|default/)
})

it("names a request that does so once its body has come", async () => {
  const { store } = at.server.parts.registry.deps
  const commit = vi.spyOn(store, "commit").mockImplementationOnce((...asked) => {
    block()
    return store.commit(...asked)
  })
  const body = configMap("slow")
  const lines = await linesOf(() => ask("POST", configMaps, body))
  commit.mockRestore()
  expect(lines).toEqual([
    expect.stringMatching(/ a request held the event loop .* verb=create path=\/api\/v1\/namespaces\/\{namespace\}\/configmaps /),
  ])
  expect(lines[0]).toContain(`requestBytes=${Buffer.byteLength(body)}`)
  expect(lines.join("")).not.toContain("not for the log")
})

it("blames no request for what the server does by itself", async () => {
  await ask("GET", `${configMaps}/there`)
  const lines = await linesOf(() => new Promise<void>((resolve) => setTimeout(() => resolve(block()))))
  expect(lines).toEqual([expect.stringContaining("the event loop was held, by no request that is known")])
})

it("says nothing of requests that are only many", async () => {
  const before = at.log.length
  await Promise.all(Array.from({ length: 200 }, () => ask("GET", `${configMaps}/there`)))
  expect(at.log.slice(before).filter((line) => line.includes("a request held"))).toEqual([])
})

it("shows in the next scrape of /metrics, and not for ever", async () => {
  const isHeld = async (): Promise<boolean> => {
    const { body } = await ask("GET", "/metrics")
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body.toString())?.[1]) * 1000 > 1.5 * loopHoldMs
  }
  // What the tests before have done is told by now.
  for (let scrape = 0; scrape < 2; scrape++) await isHeld()
  await linesOf(() => new Promise<void>((resolve) => setTimeout(() => resolve(block()))))
  expect(await isHeld()).toBe(true)
  await isHeld()
  expect(await isHeld()).toBe(false)
})
