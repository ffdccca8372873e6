/** The annotations with the times that a slow request spent in each part, with a clock that the test moves. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { readPolicy } from "../runtime/audit/read-policy.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import type { Store } from "../runtime/storage/store.ts"
import { createManualClock, type ManualClock } from "./contract/manual-clock.ts"
import { createHttpClient } from "./support/http-client.ts"
import { startInProcess } from "./support/in-process.ts"

const maps = "/api/v1/namespaces/default/configmaps"
const map = (name: string): object => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { k: "v" } })
const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
const metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
const prefix = "apiserver.latency.k8s.io/"

/** A manual clock that also moves by `stepMs` with each reading of elapsed time, and counts those readings. */
function steppingClock(): ManualClock & { stepMs: number; readings: number } {
  const clock = createManualClock()
  const stepping = {
    ...clock,
    stepMs: 0,
    readings: 0,
    elapsedMs() {
      stepping.readings++
      clock.advance(stepping.stepMs)
      return clock.elapsedMs()
    },
  }
  return stepping
}

type Start = { readonly isAudited?: boolean; readonly wrapStore?: (store: Store, clock: ManualClock) => Store }

async function started({ isAudited = true, wrapStore = (store) => store }: Start = {}) {
  const folder = mkdtempSync(join(tmpdir(), "latencies-"))
  const log = join(folder, "audit.log")
  const clock = steppingClock()
  const text = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]"
  const { policy } = readPolicy(text, vendorProfile("kubernetes"))
  const server = await startInProcess({
    store: "memory",
    vendor: "kubernetes",
    clock,
    ...(isAudited && { audit: { policy, log } }),
    wrapStore,
  })
  const client = createHttpClient({ protocol: "http1", port: server.port, authority: server.authority })
  onTestFinished(async () => {
    client.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const send = (method: string, path: string, how: { body?: object; accept?: string; id?: string } = {}) =>
    client.send({
      method,
      path,
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        accept: how.accept ?? "application/json",
        ...(how.id !== undefined && { "audit-id": how.id }),
      },
      ...(how.body !== undefined && { body: Buffer.from(JSON.stringify(how.body)) }),
    })
  let sent = 0
  return {
    clock,
    send,
    /** Sends a request and returns the latencies of its last event. */
    async latencies(method: string, path: string, how: { body?: object; accept?: string } = {}): Promise<Record<string, string>> {
      const id = `request-${sent++}`
      await send(method, path, { ...how, id })
      return latenciesIn(await lastEvent(log, id))
    },
  }
}

interface Event {
  readonly auditID: string
  readonly stage: string
  readonly annotations?: Readonly<Record<string, string>>
}

async function lastEvent(log: string, id: string): Promise<Event> {
  for (;;) {
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1)
    const events = lines.map((line): Event => JSON.parse(line))
    const found = events.find(({ auditID, stage }) => auditID === id && stage === "ResponseComplete")
    if (found !== undefined) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function latenciesIn({ annotations = {} }: Event): Record<string, string> {
  const found = Object.entries(annotations).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]))
}

describe("a slow request", () => {
  it("says which parts its time went to, and nothing of parts it has not", async () => {
    const { clock, latencies } = await started()
    clock.stepMs = 300
    const parts = async (...request: Parameters<typeof latencies>): Promise<string[]> => Object.keys(await latencies(...request))
    const answered = ["response-write", "serialize-response-object"]
    expect(await parts("POST", maps, { body: map("a") })).toEqual(["etcd", ...answered, "total"])
    expect(await parts("PUT", `${maps}/a`, { body: { ...map("a"), data: { k: "w" } } })).toEqual(["etcd", ...answered, "total"])
    expect(await parts("GET", `${maps}/a`)).toEqual([...answered, "total"])
    expect(await parts("GET", `${maps}/a`, { accept: "application/yaml" })).toEqual([...answered, "total"])
    for (const accept of [table, metadata])
      expect(await parts("GET", `${maps}/a`, { accept })).toEqual([...answered, "transform-response-object", "total"])
    expect(await parts("GET", maps)).toEqual([...answered, "total"])
    for (const accept of [table, metadata.replace("Metadata;", "MetadataList;")])
      expect(await parts("GET", maps, { accept })).toEqual([...answered, "transform-response-object", "total"])
    expect(await parts("GET", `${maps}/none`)).toEqual([...answered, "total"])
    expect(await parts("DELETE", `${maps}/a`)).toEqual(["etcd", ...answered, "total"])
    expect(await parts("GET", `${maps}?watch=1&timeoutSeconds=-1`)).toEqual([])
  })

  it("has the time of its commit, and none at half a second", async () => {
    let commitMs = 0
    const { latencies } = await started({
      wrapStore: (store, clock) => changed(store, { commit: (commit) => waited(clock, commitMs, store.commit(commit)) }),
    })
    commitMs = 700
    expect(await latencies("POST", maps, { body: map("a") })).toEqual({ etcd: "700ms", total: "700ms" })
    commitMs = 500
    expect(await latencies("POST", maps, { body: map("b") })).toEqual({})
    commitMs = 501
    expect(await latencies("DELETE", `${maps}/b`)).toEqual({ etcd: "501ms", total: "501ms" })
  })

  it("has the time that the store takes for its newest revision, if it has to ask for it", async () => {
    let revisionMs = 0
    const { latencies } = await started({
      wrapStore: (store, clock) =>
        changed(store, { revisionNeedsRoundTrip: true, revision: () => waited(clock, revisionMs, store.revision()) }),
    })
    await latencies("POST", maps, { body: map("a") })
    revisionMs = 600
    const asked = { etcd: "600ms", total: "600ms" }
    expect(await latencies("GET", `${maps}/a`)).toEqual(asked)
    expect(await latencies("GET", maps)).toEqual(asked)
    expect(await latencies("GET", `${maps}/a?resourceVersion=0`)).toEqual({})
  })
})

it("a get that the cache answers reads the clock once for its latencies, and not at all without audit", async () => {
  const readings = async (isAudited: boolean): Promise<number> => {
    const { clock, send } = await started({ isAudited })
    await send("POST", maps, { body: map("a") })
    await send("GET", `${maps}/a`)
    const before = clock.readings
    expect((await send("GET", `${maps}/a`)).status).toBe(200)
    return clock.readings - before
  }
  // The other readings time the first and each further event.
  const ofEvents = 2
  expect((await readings(true)) - (await readings(false))).toBe(ofEvents + 1)
})

/** The store with some members replaced. A proxy, since the methods of its class are not its own properties. */
function changed(store: Store, others: Partial<Store>): Store {
  const members = new Map<string | symbol, unknown>(Object.entries(others))
  return new Proxy(store, {
    get(target, name) {
      if (members.has(name)) return members.get(name)
      const member: unknown = Reflect.get(target, name)
      return typeof member === "function" ? member.bind(target) : member
    },
  })
}

async function waited<Result>(clock: ManualClock, ms: number, result: Promise<Result>): Promise<Result> {
  await Promise.resolve()
  clock.advance(ms)
  return result
}
