/**
 * V8 keeps the shape of an object in its hidden class. A request that makes classes of its own pays for each, and again
 * for each access to the objects that have them: `{ ...record, field }` does it, `{ field, ...record }` does not.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { newFolder, startWithFlags } from "./support/program.ts"
import { buildBundle } from "../scripts/freshness.mjs"

await buildBundle()

const maps = "/api/v1/namespaces/default/configmaps"
const rounds = 100

interface Asked {
  readonly method: string
  readonly type?: string
  readonly query?: string
  readonly body: (name: string, round: number) => object
}

const map = (name: string, round: number): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { app: "a" } },
  data: { k: `v${round}` },
})

const asked: Readonly<Record<string, Asked>> = {
  create: { method: "POST", body: map },
  update: { method: "PUT", body: map },
  "merge patch": { method: "PATCH", type: "application/merge-patch+json", body: (_name, round) => ({ data: { n: `${round}` } }) },
  "strategic merge patch": {
    method: "PATCH",
    type: "application/strategic-merge-patch+json",
    body: (_name, round) => ({ data: { s: `${round}` } }),
  },
  "JSON patch": {
    method: "PATCH",
    type: "application/json-patch+json",
    body: (_name, round) => [{ op: "add", path: "/data/j", value: `${round}` }],
  },
  apply: {
    method: "PATCH",
    type: "application/apply-patch+yaml",
    query: "?fieldManager=test&force=true",
    body: (name, round) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: `${round}` } }),
  },
  get: { method: "GET", body: () => ({}) },
  delete: { method: "DELETE", body: () => ({}) },
}

it("a request makes no hidden classes of its own", async () => {
  const folder = newFolder()
  const log = join(folder, "v8.log")
  const dataDir = join(folder, "data")
  const flags = ["--log-maps", "--no-log-maps-details", "--no-logfile-per-isolate", `--logfile=${log}`]
  const started = await startWithFlags(flags, dataDir, "--store=memory", "--vendor=kubernetes")
  await started.said(/ready/)
  const token = readFileSync(join(dataDir, "admin.token"), "utf8").trim()
  const authority = readFileSync(join(dataDir, "pki/ca.crt"), "utf8")
  const client = createHttpClient({ protocol: "http2", port: started.port, authority })
  onTestFinished(() => client.close())
  await askAll(client, token, "first")
  const before = readFileSync(log, "latin1").length
  await askAll(client, token, "second")
  started.child.kill()
  await started.exit
  const lines = readFileSync(log, "latin1")
  expect(lines, "what V8 calls its lines").toContain("\nmap,Transition,")
  const made = lines
    .slice(before)
    .split("\n")
    .filter((line) => line.startsWith("map,Transition,") && line.includes(",prototype,"))
  // Places in the chunks of dist/.
  const most = new Map<string, number>()
  for (const line of made) {
    const [row, column, , field] = line.split(",").slice(6)
    const place = `line ${row}, column ${column}: ${field}`
    most.set(place, (most.get(place) ?? 0) + 1)
  }
  // A class made per request appears for every request of at least one verb.
  expect([...most].filter(([, count]) => count > rounds / 2)).toEqual([])
}, 60_000)

async function askAll(client: HttpClient, token: string, prefix: string): Promise<void> {
  for (const [verb, { body, method, query = "", type = "application/json" }] of Object.entries(asked)) {
    for (let round = 0; round < rounds; round++) {
      const name = `${prefix}-${round}`
      const { status, body: answer } = await client.send({
        method,
        path: method === "POST" ? maps : `${maps}/${name}${query}`,
        headers: { authorization: `Bearer ${token}`, "content-type": type },
        ...(method !== "GET" && method !== "DELETE" && { body: Buffer.from(JSON.stringify(body(name, round))) }),
      })
      expect({ verb, status, answer: status < 300 ? "" : answer.toString() }).toEqual({ verb, status, answer: "" })
    }
  }
}
