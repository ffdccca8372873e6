/**
 * Lists of many objects, in every form and with every kind of selector, beside a client that gets one object again and
 * again. Lists are built in turns of the event loop, so gets are answered before the first byte of a list.
 */
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const objects = 20_000
const path = "/api/v1/namespaces/default/configmaps"
const partial = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
const compact = "application/vnd.kubernetes.protobuf"
/**
 * Among the gets answered before the first byte of a list, one may have arrived before the list request, and one
 * together with it.
 */
const getsMin = 3

// 20,000 objects in a dozen forms, in one process with their clients, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let at: InProcess
let lister: HttpClient
let getter: HttpClient

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  const writes = Array.from({ length: objects }, (_, index) => {
    const name = `object-${String(index).padStart(6, "0")}`
    return { type: "put", key: `/registry/configmaps/default/${name}`, value: value(name, index) } as const
  })
  await at.store.commit({ checks: [], writes })
  const to = { port: at.port, authority: at.authority }
  lister = createHttpClient({ protocol: "http2", ...to })
  getter = createHttpClient({ protocol: "http2", ...to })
})

afterAll(async () => {
  lister.close()
  getter.close()
  await at.stop()
})

/** Stored as JSON, as by another server, so that nothing is cached. */
function value(name: string, index: number): Buffer {
  const labels = { app: "many", share: `s${index % 100}` }
  const metadata = { name, namespace: "default", uid: name, creationTimestamp: "2026-01-01T00:00:00Z", labels }
  return Buffer.from(JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { text: "x".repeat(500), more: "y: z" } }))
}

const request = (query: string, accept = "application/json") => ({
  method: "GET",
  path: query === "" ? path : `${path}${query}`,
  headers: { authorization: `Bearer ${at.token}`, accept },
})

it.each([
  ["by a field, not equal", "?fieldSelector=metadata.name!%3Dnobody", undefined],
  ["by a field that one object has", "?fieldSelector=metadata.namespace%3Dnowhere", undefined],
  ["by an extended field", "?fieldSelectorSyntax=extended&fieldSelector=.metadata.uid%3Dnone", undefined],
  ["by a field, pages", "?fieldSelector=metadata.name!%3Dnobody,metadata.namespace!%3Ddefault&limit=10", undefined],
  ["counted by a label that it has not", "?count=true&labelSelector=!nobody", undefined],
  ["by a label that it has not", "?labelSelector=share!%3Ds1,!nobody", undefined],
  ["sorted", "?sortBy=.metadata.uid&limit=10", undefined],
  ["all of it sorted", "?sortBy=-.metadata.uid", undefined],
  ["compact", "", compact],
  ["metadata, compact", "", `${compact};${partial}`],
  ["Table", "?includeObject=None", "application/json;as=Table;v=v1;g=meta.k8s.io"],
  ["YAML", "?limit=1000", "application/yaml"],
])("a list %s lets others have their turn before its first byte", async (_name, query, accept) => {
  let gets = 0
  let begun = false
  // Makes sure that the connections are open.
  for (const client of [lister, getter]) expect((await client.send(request("/object-000000"))).status).toBe(200)
  const list = lister.open(request(query, accept)).then((answer) => {
    begun = true
    return answer
  })
  while (!begun) {
    const { status } = await getter.send(request("/object-000000"))
    expect(status).toBe(200)
    if (!begun) gets++
  }
  const { body, status } = await list
  for await (const _chunk of body) void _chunk
  expect(status).toBe(200)
  expect(gets).toBeGreaterThanOrEqual(getsMin)
})
