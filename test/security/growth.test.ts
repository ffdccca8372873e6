/** Leftovers of requests: requests that all differ make neither metrics nor the store grow. */
import { expect, it, onTestFinished } from "vitest"
import { createRandom, type SeededRandom } from "../sim/world/random.ts"
import { createHttpClient } from "../support/http-client.ts"
import { adminToken, type InProcess, startInProcess } from "../support/in-process.ts"

/** Requests of one round; each differs from all others. */
const requests = 400
/** Combinations of verb, code and so on that a later round may meet first; each request has ten texts of its own. */
const newCombinations = 40
/** Concurrent requests. */
const batch = 100

async function started(): Promise<{
  at: InProcess
  send: (headers: Headers, random: SeededRandom) => Promise<void>
  metrics: () => Promise<number>
}> {
  // Each refusal would end the connection that the next request is to use.
  const gates = { UnauthenticatedHTTP2DOSMitigation: false }
  const at = await startInProcess({ store: "memory", vendor: "kubernetes", gates })
  const clients = (["http1", "http2"] as const).map((protocol) => createHttpClient({ protocol, port: at.port, authority: at.authority }))
  const [first] = clients
  onTestFinished(async () => {
    for (const client of clients) client.close()
    await at.stop()
  })
  const send = async (headers: Headers, random: SeededRandom): Promise<void> => {
    for (let sent = 0; sent < requests; sent += batch) {
      const asked = Array.from({ length: batch }, () => drawn(random, headers))
      await Promise.all(asked.map((one, index) => clients[index % 2]?.send(one)))
    }
  }
  const metrics = async (): Promise<number> => {
    const answer = await first?.send({ method: "GET", path: "/metrics", headers: { authorization: `Bearer ${adminToken}` } })
    // The buckets of a histogram are one series.
    const lines = answer?.body.toString().split("\n") ?? []
    return lines.filter((line) => !line.includes("_bucket{")).length
  }
  return { at, send, metrics }
}

type Headers = (word: () => string) => Readonly<Record<string, string>>

const methods = ["GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "LINK"] as const

function drawn(random: SeededRandom, headers: Headers) {
  const word = (): string => random.bytes(6).toString("hex")
  const paths = [
    `/api/v1/namespaces/${word()}/configmaps/${word()}`,
    `/api/v1/${word()}`,
    `/apis/${word()}.example.com/${word()}/${word()}`,
    `/apis/apps/v1/namespaces/${word()}/deployments/${word()}/${word()}`,
    `/${word()}/${word()}`,
    `/api/v1/namespaces?${word()}=${word()}&resourceVersion=0`,
    `/healthz/${word()}`,
    `/openapi/v3/apis/${word()}`,
  ] as const
  return {
    method: random.pick(methods),
    path: random.pick(paths),
    headers: { ...headers(word), "user-agent": word(), accept: `application/${word()}, */*`, "audit-id": word(), [`x-${word()}`]: word() },
  }
}

async function revision({ store }: InProcess): Promise<number> {
  return (await store.list({ prefix: "/registry/configmaps/", limit: 1 })).revision
}

it("requests without a known credential leave nothing behind, not even in metrics (k3s CVE-2023-32187)", async () => {
  const { at, send, metrics } = await started()
  const random = createRandom(1, "strangers")
  const asStranger: Headers = (word) => ({
    authorization: random.chance(0.5) ? `Bearer ${word()}` : `Basic ${word()}`,
  })
  await send(asStranger, random)
  const [lines, before] = [await metrics(), await revision(at)]
  await send(asStranger, random)
  expect(await metrics()).toBeLessThan(lines + newCombinations)
  expect(await revision(at)).toBe(before)
  expect(at.log.join("").length).toBeLessThan(2000)
})

it("authorized requests that all differ do not make metrics grow (CVE-2020-8552)", async () => {
  const { at, send, metrics } = await started()
  const random = createRandom(2, "users")
  const asAdmin: Headers = () => ({ authorization: `Bearer ${adminToken}` })
  await send(asAdmin, random)
  const [lines, before] = [await metrics(), await revision(at)]
  await send(asAdmin, random)
  expect(await metrics()).toBeLessThan(lines + newCombinations)
  expect(await revision(at)).toBe(before)
})
