/**
 * Requests that hold the event loop, over real connections: the log names them without their content, and `/metrics`
 * shows the delay.
 */
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { loopHoldMs } from "../runtime/base/limits.ts"
import { createHttpClient, type HttpAnswer, type HttpClient } from "./support/http-client.ts"
import { type InProcess, plainToken, startInProcess } from "./support/in-process.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"

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

/** Nothing else runs meanwhile. Counts processor time, as the log does: the machine may be busy. */
function block(): void {
  const before = process.cpuUsage()
  for (let usedMs = 0; usedMs < 2 * loopHoldMs; ) {
    const { user, system } = process.cpuUsage(before)
    usedMs = (user + system) / 1000
  }
}

/** Log lines about holds from now on, once one matches `expected`. A busy machine causes holds as well. */
async function linesOf(work: () => Promise<unknown>, expected: RegExp): Promise<string> {
  const before = at.log.length
  await work()
  return vi.waitFor(() => {
    const lines = at.log.slice(before).join("")
    expect(lines).toMatch(expected)
    return lines
  })
}

it("names a request that holds it before its first wait", async () => {
  const { kinds } = at.server.parts
  const find = vi.spyOn(kinds, "find").mockImplementationOnce((...asked) => {
    block()
    return kinds.find(...asked)
  })
  const expected =
    / WARN {2}a request held the event loop milliseconds=\d{3} verb=get path=\/api\/v1\/namespaces\/\{namespace\}\/configmaps\/\{name\} user=plain requestBytes=0 answerBytes=\d+\n/
  const lines = await linesOf(() => ask("GET", `${configMaps}/secret-name?fieldManager=secret-value`), expected)
  find.mockRestore()
  expect(lines).not.toMatch(/secret|default/)
})

it("names a request that holds it after its body has arrived", async () => {
  const { store } = at.server.parts.registry.deps
  const commit = vi.spyOn(store, "commit").mockImplementationOnce((...asked) => {
    block()
    return store.commit(...asked)
  })
  const body = configMap("slow")
  const expected = new RegExp(
    ` a request held the event loop .* verb=create path=/api/v1/namespaces/{namespace}/configmaps .* requestBytes=${Buffer.byteLength(body)}\\b`,
  )
  const lines = await linesOf(() => ask("POST", configMaps, body), expected)
  commit.mockRestore()
  expect(lines).not.toContain("not for the log")
})

it("shows in the next scrape of /metrics, and not for ever", async () => {
  const isHeld = async (): Promise<boolean> => {
    const { body } = await ask("GET", "/metrics")
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(body.toString())?.[1]) * 1000 > 1.5 * loopHoldMs
  }
  // The holds of earlier tests have been reported by now.
  await vi.waitFor(async () => expect(await isHeld()).toBe(false))
  await new Promise<void>((resolve) => setTimeout(() => resolve(block())))
  await vi.waitFor(async () => expect(await isHeld()).toBe(true))
  await vi.waitFor(async () => expect(await isHeld()).toBe(false))
})
