/**
 * For any bytes of a body, the response is a success or a Status that blames the client, never a server error, and the
 * server continues to work. Specification section 7; design promise 6.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createHttpClient, type HttpAnswer, type HttpClient } from "../support/http-client.ts"
import { type InProcess, startInProcess } from "../support/in-process.ts"
import { expectAnswered, samples } from "../support/samples.ts"

const runs = 300
const namespace = "/api/v1/namespaces/default"
const objects = ["configmaps", "secrets", "pods", "services", "endpoints", "events", "replicationcontrollers"]

let at: InProcess
let client: HttpClient

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "orch" })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  for (const [resource, body] of Object.entries(samples)) {
    const { status } = await send({
      method: "POST",
      path: `${namespace}/${resource}`,
      contentType: "application/json",
      body: Buffer.from(JSON.stringify(body)),
    })
    expect(status, resource).toBe(201)
  }
})

afterAll(async () => {
  client.close()
  await at.stop()
})

const bodyTypes = ["application/json", "application/yaml", "application/vnd.orch.protobuf"]
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
]

/** Methods and paths that take a body, with the content types that they support and one that does not exist. */
const requests = fc.constantFrom(...objects).chain((resource) =>
  fc
    .oneof(
      fc.record({
        method: fc.constant("POST"),
        path: fc.constant(`${namespace}/${resource}`),
        contentType: fc.constantFrom(...bodyTypes, "text/plain"),
      }),
      fc.record({
        method: fc.constant("PUT"),
        path: fc.constantFrom(`${namespace}/${resource}/a`, `${namespace}/${resource}/a/status`),
        contentType: fc.constantFrom(...bodyTypes),
      }),
      fc.record({
        method: fc.constant("PATCH"),
        path: fc.constantFrom(`${namespace}/${resource}/a`, `${namespace}/${resource}/a/status`),
        contentType: fc.constantFrom(...patchTypes),
      }),
      fc.record({
        method: fc.constant("DELETE"),
        path: fc.constant(`${namespace}/${resource}/a`),
        contentType: fc.constantFrom(...bodyTypes),
      }),
    )
    .map((request) => ({ ...request, resource })),
)

/** The content of documents: JSON of any kind, and values that servers tend to mishandle. */
const odd = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  "\0",
  "\ud800",
  "__proto__",
  [],
  [[]],
  {},
  "9".repeat(30),
  "2026-13-45T99:99:99Z",
)
const anyValue = fc.oneof({ weight: 2, arbitrary: odd }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) })

/** Fields that no kind has; some control strategic merge patches. */
const strangeNames = [
  "x",
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "__proto__",
  "constructor",
  "metadata",
]

/** Replaces, removes or adds a value somewhere in a document. */
function mutated(document: unknown, [choice, value]: readonly [number, unknown]): unknown {
  if (typeof document !== "object" || document === null) return value
  const entries = Object.entries(document)
  const [name, field] = entries[choice % Math.max(1, entries.length)] ?? []
  if (name === undefined || choice % 7 === 0)
    return Array.isArray(document) ? [...document, value] : { ...document, [strangeNames[choice % strangeNames.length] ?? "x"]: value }
  if (choice % 7 === 1) return Object.fromEntries(entries.filter(([other]) => other !== name))
  const next = choice % 7 === 2 ? value : mutated(field, [Math.floor(choice / 7), value])
  if (Array.isArray(document)) return document.map((item, index) => (String(index) === name ? next : item))
  return { ...document, [name]: next }
}

const mutations = fc.array(fc.tuple(fc.nat(1_000_000), anyValue), { minLength: 1, maxLength: 4 })

function changed(document: unknown, steps: readonly (readonly [number, unknown])[]): Buffer {
  return Buffer.from(JSON.stringify(steps.reduce(mutated, document)) ?? "null")
}

async function send(request: { method: string; path: string; contentType: string; body: Buffer }): Promise<HttpAnswer> {
  const { method, path, contentType, body } = request
  const query = method === "DELETE" ? "?dryRun=All" : contentType === "application/apply-patch+yaml" ? "?fieldManager=m&force=true" : ""
  return client.send({ method, path: path + query, headers: { authorization: `Bearer ${at.token}`, "content-type": contentType }, body })
}

describe("any body", () => {
  it("of random bytes gets a response", async () => {
    const property = fc.asyncProperty(requests, fc.uint8Array({ maxLength: 200 }), async (request, bytes) =>
      expectAnswered(await send({ ...request, body: Buffer.from(bytes) })),
    )
    await fc.assert(property, { numRuns: runs })
  })

  it("that is almost an object gets a response", async () => {
    const property = fc.asyncProperty(requests, mutations, async (request, steps) =>
      expectAnswered(await send({ ...request, body: changed(samples[request.resource], steps) })),
    )
    await fc.assert(property, { numRuns: runs * 2 })
  })

  it("that is almost a JSON patch gets a response", async () => {
    const pointer = fc.constantFrom(
      "",
      "/",
      "/metadata",
      "/metadata/name",
      "/metadata/labels/a",
      "/spec/containers/0",
      "/spec/containers/-",
      "/data/k",
      "/~1~0",
      "/__proto__/x",
      "/metadata/uid",
      "/kind",
    )
    const operation = fc.record(
      { op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "frob"), path: pointer, from: pointer, value: anyValue },
      { requiredKeys: [] },
    )
    const property = fc.asyncProperty(fc.constantFrom(...objects), fc.array(operation, { maxLength: 4 }), async (resource, patch) =>
      expectAnswered(
        await send({
          method: "PATCH",
          path: `${namespace}/${resource}/a`,
          contentType: "application/json-patch+json",
          body: Buffer.from(JSON.stringify(patch)),
        }),
      ),
    )
    await fc.assert(property, { numRuns: runs })
  })

  it("that is truncated or spliced text gets a response", async () => {
    const property = fc.asyncProperty(requests, fc.nat(400), fc.string({ maxLength: 5, unit: "binary" }), async (request, cut, insert) => {
      const text = JSON.stringify(samples[request.resource])
      expectAnswered(await send({ ...request, body: Buffer.from(text.slice(0, cut) + insert + text.slice(cut + (cut % 3))) }))
    })
    await fc.assert(property, { numRuns: runs })
  })

  it("gets a response, and so does any query", async () => {
    const names = fc.constantFrom(
      "labelSelector",
      "fieldSelector",
      "limit",
      "continue",
      "resourceVersionMatch",
      "dryRun",
      "fieldValidation",
      "fieldManager",
      "pretty",
      "gracePeriodSeconds",
      "propagationPolicy",
      "orphanDependents",
      "force",
      "timeoutSeconds",
      "allowWatchBookmarks",
    )
    const text = fc.oneof(
      fc.constantFrom("", "0", "-1", "1e9", "a=b", "a in (b)", "metadata.name=a", "All", "Strict", "true", "%00", "__proto__"),
      fc.string({ maxLength: 20, unit: "binary" }),
    )
    const query = fc
      .array(fc.tuple(names, text), { maxLength: 4 })
      .map((pairs) => new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString())
    const methods = fc.constantFrom("GET", "DELETE", "POST", "PUT", "PATCH")
    const paths = fc.constantFrom(
      `${namespace}/configmaps`,
      `${namespace}/configmaps/a`,
      "/api/v1/configmaps",
      "/api/v1/namespaces/default/pods/a/status",
    )
    const property = fc.asyncProperty(methods, paths, query, async (method, path, text) => {
      const headers = {
        authorization: `Bearer ${at.token}`,
        "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      }
      const body = method === "GET" ? {} : { body: Buffer.from("{}") }
      expectAnswered(await client.send({ method, path: `${path}?${text}&dryRun=All`, headers, ...body }))
    })
    await fc.assert(property, { numRuns: runs })
  })

  it("leaves the server without a fault, and its cache equal to the store", async () => {
    expect(at.log.filter((line) => line.includes("ERROR"))).toEqual([])
    for (const { resource, matches } of await at.server.cache.verify()) expect(matches, resource).toBe(true)
  })
})
