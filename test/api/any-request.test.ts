/**
 * For any method, path, media types and bytes, the response is a success or a Status that blames the client, and the
 * server continues to work. Covers every served kind and sub-resource with every method. Specification section 7;
 * design promise 6.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import type { Kind } from "../../runtime/schema/kind.ts"
import { createHttpClient, type HttpAnswer, type HttpClient } from "../support/http-client.ts"
import { everyVersion, type InProcess, startInProcess } from "../support/in-process.ts"
import { samples } from "../support/samples.ts"
import { decodeBody, encodeCompact } from "./harness/encoding.ts"

const runs = Number(process.env.ANY_REQUEST_RUNS ?? 400)
const namespace = "default"
const compact = "application/vnd.orch.protobuf"

let at: InProcess
let clients: HttpClient[]

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "orch", ...everyVersion })
  clients = (["http1", "http2"] as const).map((protocol) => createHttpClient({ protocol, port: at.port, authority: at.authority }))
  for (const [resource, body] of Object.entries(samples)) {
    const path = `/api/v1/namespaces/${namespace}/${resource}`
    const { status } = await send({ method: "POST", path, headers: { "content-type": "application/json" }, body: bytesOf(body) })
    expect(status, resource).toBe(201)
  }
})

afterAll(async () => {
  for (const client of clients) client.close()
  await at.stop()
})

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Collections, existing and missing objects, and paths below objects. */
function pathsOf({ group, version, resource, namespaced, subresources }: Kind): string[] {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const collection = namespaced ? `${root}/namespaces/${namespace}/${resource}` : `${root}/${resource}`
  // Requests that are passed on to other machines get their response: 503 when there are none.
  const below = subresources.filter(({ type }) => type !== "connect").map(({ name }) => `${collection}/a/${name}`)
  return [`${root}/${resource}`, collection, `${collection}/a`, `${collection}/none`, ...below]
}

const paths = fc.constantFrom(...kinds.filter(({ served }) => served !== false).flatMap(pathsOf))
const methods = fc.constantFrom("POST", "PUT", "PATCH", "DELETE", "GET", "HEAD", "OPTIONS")
const bodyTypes = ["application/json", "application/yaml", compact]
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
]
const knownTypes = [...bodyTypes, ...patchTypes]
const visible = fc.string({ unit: fc.constantFrom(..."abz0/;=+*.,-_ \"'q"), maxLength: 30 })
const contentTypes = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...knownTypes) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "text/plain",
      "application/cbor",
      "application/apply-patch+cbor",
      "",
      "*/*",
      "application/json;stream=watch",
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...knownTypes), visible).map(([type, more]) => `${type};${more}`.trim()) },
  { weight: 1, arbitrary: visible.map((text) => text.trim()) },
)
const accepts = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("application/json", "*/*", "application/yaml", compact, `${compact}, application/json`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("application/json;as=Table;g=meta.orch.io;v=v1", "application/json;as=Scale;g=x;v=v1", "text/html"),
  },
  { weight: 1, arbitrary: visible.map((text) => text.trim()) },
)
const queries = fc.constantFrom(
  "",
  "&fieldManager=m",
  "&fieldManager=m&force=true",
  "&fieldValidation=Strict",
  "&fieldValidation=Ignore",
  "&pretty=1",
)

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Mostly plausible requests, because only plausible ones reach the deeper code. */
const likely = fc.constantFrom(...kinds.filter(({ resource }) => resource in samples)).chain((kind) => {
  const [collection = "", object = "", , ...below] = pathsOf(kind).slice(1)
  const some = { accept: fc.constantFrom("application/json", compact), query: queries, protocol: fc.nat(1) }
  const bodyType = fc.constantFrom(...bodyTypes)
  return fc.oneof(
    fc.record({ ...some, method: fc.constant("POST"), path: fc.constantFrom(collection, ...below), contentType: bodyType }),
    fc.record({ ...some, method: fc.constant("PUT"), path: fc.constantFrom(object, ...below), contentType: bodyType }),
    fc.record({ ...some, method: fc.constant("DELETE"), path: fc.constantFrom(collection, object), contentType: bodyType }),
    {
      weight: 3,
      arbitrary: fc.record({
        ...some,
        method: fc.constant("PATCH"),
        path: fc.constantFrom(object, ...below),
        contentType: fc.constantFrom(...patchTypes),
      }),
    },
  )
})
const anything = fc.record({
  method: methods,
  path: paths,
  contentType: contentTypes,
  accept: accepts,
  query: queries,
  protocol: fc.nat(1),
})
const requests = fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: anything })

type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never

/** Uses dry runs, so that the objects stay. */
async function ask({ method, path, contentType, accept, query, protocol }: Request, body: Buffer): Promise<void> {
  const headers = { "content-type": contentType, accept }
  const sent = { method, path: `${path}?dryRun=All${query}`, headers, body: method === "GET" || method === "HEAD" ? Buffer.alloc(0) : body }
  await expectStatus(sent, await send(sent, protocol))
}

function send({ method, path, headers, body }: Sent, protocol = 0): Promise<HttpAnswer> {
  const client = clients[protocol]
  if (client === undefined) throw new Error("two protocols")
  return client.send({ method, path, headers: { authorization: `Bearer ${at.token}`, ...headers }, ...(body.length > 0 && { body }) })
}

/** Expects a success, or a Status in the requested form. */
async function expectStatus({ method, path, headers }: Sent, answer: HttpAnswer): Promise<void> {
  const text = answer.body.toString("utf8")
  const about = `${method} ${path} ${JSON.stringify(headers)}: ${text}`
  expect(answer.status, about).toBeLessThan(500)
  if (answer.status < 400 || method === "HEAD") return
  const type = String(answer.headers["content-type"])
  const status = await decodeBody(answer.body, type, "orch")
  expect(status, about).toMatchObject({
    kind: "Status",
    status: "Failure",
    code: answer.status,
    reason: expect.stringMatching(/./),
    message: expect.stringMatching(/./),
  })
}

/** Random edits of bytes: at a position, some are removed and others inserted. */
const edits = fc.array(fc.record({ at: fc.nat(1000), cut: fc.nat(4), insert: fc.uint8Array({ maxLength: 4 }) }), {
  minLength: 1,
  maxLength: 4,
})

function edited(bytes: Buffer, changes: typeof edits extends fc.Arbitrary<infer Value> ? Value : never): Buffer {
  return changes.reduce((before, { at, cut, insert }) => {
    const place = at % (before.length + 1)
    return Buffer.concat([before.subarray(0, place), insert, before.subarray(place + cut)])
  }, bytes)
}

describe("any request", () => {
  it("with random bytes gets a response", async () => {
    const property = fc.asyncProperty(requests, fc.uint8Array({ maxLength: 100 }), (request, bytes) => ask(request, Buffer.from(bytes)))
    await fc.assert(property, { numRuns: runs })
  })

  it("with a random value as JSON gets a response", async () => {
    const property = fc.asyncProperty(requests, fc.jsonValue({ maxDepth: 3 }), (request, value) => ask(request, bytesOf(value)))
    await fc.assert(property, { numRuns: runs })
  })

  it("with almost an object in its compact encoding gets a response", async () => {
    const objects = await Promise.all(Object.values(samples).map((sample) => encodeCompact(sample, "orch")))
    const options = await encodeCompact({ apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 5, dryRun: ["All"] }, "orch")
    const property = fc.asyncProperty(requests, fc.constantFrom(...objects, options), edits, (request, bytes, changes) =>
      ask({ ...request, contentType: compact }, edited(bytes, changes)),
    )
    await fc.assert(property, { numRuns: runs })
  })

  it("with almost an object as text gets a response", async () => {
    const property = fc.asyncProperty(requests, fc.constantFrom(...Object.values(samples)), edits, (request, sample, changes) =>
      ask(request, edited(bytesOf(sample), changes)),
    )
    await fc.assert(property, { numRuns: runs })
  })

  it("leaves the server without a fault, and its cache equal to the store", async () => {
    expect(at.log.filter((line) => line.includes("ERROR"))).toEqual([])
    for (const { resource, matches } of await at.server.cache.verify()) expect(matches, resource).toBe(true)
  })
})
