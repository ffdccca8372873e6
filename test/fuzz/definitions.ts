/** Draws requests that create, change and delete definitions, and others for the kinds that they add. */
import type { SeededRandom } from "../sim/world/random.ts"
import { createRandom } from "../sim/world/random.ts"
import type { BackendCase, FuzzCase, RequestCase } from "./case.ts"
import { nonEmpty } from "./objects.ts"
import { customObject, definitionOf, fuzzGroup, pluralOf } from "./schemas.ts"
import { hostileText, mutated, nearly } from "./texts.ts"

/** Few kinds, so that requests find them; each has many forms. */
const slots = 4
const forms = 12
const bodyBytesMax = 3_000_000

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const versions = nonEmpty(["v1", "v1", "v1", "v1", "v2", "v1beta1"])
const patchTypes = nonEmpty(["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"])
const oddTypes = nonEmpty([
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/strategic-merge-patch+json",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/cbor",
  "text/plain",
])

/** The same definition for the same seed, so that a later case can put an earlier one back. */
function formOf(seed: number, slot: number, random: SeededRandom): Record<string, unknown> {
  return definitionOf(createRandom(seed, `definition ${slot} ${random.integer(forms)}`), slot)
}

export function definitionCase(seed: number, random: SeededRandom): FuzzCase {
  const choice = random.integer(100)
  if (choice < 20) return ofDefinition(seed, random)
  if (choice < 65) return ofObject(random)
  if (choice < 85) return ofReads(random)
  if (choice < 92) return ofText(random)
  return ofHook(random)
}

function request(random: SeededRandom, asked: Omit<RequestCase, "type" | "protocol">): RequestCase {
  return { type: "request", protocol: random.pick(["http1", "http2"]), ...asked }
}

function bodyFor(random: SeededRandom, value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value) ?? "null")
  return (random.chance(0.1) ? mutated(random, body) : body).subarray(0, bodyBytesMax)
}

function ofDefinition(seed: number, random: SeededRandom): RequestCase {
  const slot = random.integer(slots)
  const definition = formOf(seed, slot, random)
  const path = `${definitionsPath}/${pluralOf(slot)}.${fuzzGroup}`
  const choice = random.integer(10)
  const json = { "content-type": "application/json" }
  if (choice === 0 && random.chance(0.4)) return request(random, { method: "DELETE", path, headers: {} })
  if (choice < 4) return request(random, { method: "POST", path: definitionsPath, headers: json, body: bodyFor(random, definition) })
  if (choice === 4) {
    const status = {
      conditions: [{ type: "Established", status: random.pick(["True", "False", "x"]) }],
      storedVersions: random.pick([["v1"], [], ["v9"]]),
    }
    const body = bodyFor(random, { status })
    return request(random, { method: "PATCH", path: `${path}/status`, headers: { "content-type": "application/merge-patch+json" }, body })
  }
  if (choice === 5) {
    const operations = [
      {
        op: "replace",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec",
        value: { type: random.pick(["object", "array", "x"]) },
      },
      { op: "add", path: "/spec/versions/-", value: { name: "v3", served: true, storage: false } },
      { op: "remove", path: "/spec/versions/0" },
    ]
    const body = bodyFor(random, [random.pick(nonEmpty(operations))])
    return request(random, { method: "PATCH", path, headers: { "content-type": "application/json-patch+json" }, body })
  }
  const applied = random.chance(0.7)
  return request(random, {
    method: "PATCH",
    path: `${path}?fieldManager=m${applied ? "&force=true" : ""}`,
    headers: { "content-type": applied ? "application/apply-patch+yaml" : "application/merge-patch+json" },
    body: bodyFor(random, definition),
  })
}

interface Place {
  readonly slot: number
  readonly version: string
  readonly collection: string
}

function placeOf(random: SeededRandom): Place {
  const slot = random.integer(slots)
  const version = random.pick(versions)
  return { slot, version, collection: `/apis/${fuzzGroup}/${version}/namespaces/default/${pluralOf(slot)}` }
}

function ofObject(random: SeededRandom): RequestCase {
  const { slot, version, collection } = placeOf(random)
  const name = `n${random.integer(4)}`
  const object = customObject(random, { slot, version, name })
  const query = random.chance(0.2) ? "?dryRun=All" : `?fieldValidation=${random.pick(["Strict", "Warn", "Ignore"])}`
  const choice = random.integer(10)
  const type = random.chance(0.05) ? random.pick(oddTypes) : undefined
  const json = { "content-type": type ?? "application/json" }
  if (choice < 4) return request(random, { method: "POST", path: collection + query, headers: json, body: bodyFor(random, object) })
  const subresource = random.chance(0.2) ? random.pick(["/status", "/scale"]) : ""
  const path = `${collection}/${name}${subresource}${query}`
  if (choice === 4) return request(random, { method: "DELETE", path: `${collection}/${name}`, headers: {} })
  if (choice < 7)
    return request(random, {
      method: "PUT",
      path,
      headers: json,
      body: bodyFor(random, subresource === "/scale" ? scaleOf(random, name) : object),
    })
  const media = type ?? random.pick(patchTypes)
  const value = media === "application/json-patch+json" ? operationsOf(random, object) : object
  const applied = media === "application/apply-patch+yaml" ? "&fieldManager=m&force=true" : ""
  return request(random, { method: "PATCH", path: path + applied, headers: { "content-type": media }, body: bodyFor(random, value) })
}

function scaleOf(random: SeededRandom, name: string): unknown {
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec: { replicas: random.pick([1, -1, 2 ** 40, 1.5]) } }
}

function operationsOf(random: SeededRandom, { spec }: Record<string, unknown>): unknown {
  const value = Reflect.get(Object(spec), random.pick(["l", "o", "m", "any"])) ?? null
  const one = random.pick<unknown>([
    { op: "add", path: "/spec/l/-", value: "x" },
    { op: "add", path: "/spec/o/0", value },
    { op: "replace", path: "/spec/any", value },
    { op: "copy", from: "/spec", path: "/spec/any" },
    { op: "move", from: "/spec/o", path: "/spec/any" },
    { op: "test", path: "/spec", value: spec },
    { op: "remove", path: "/spec/o/0" },
  ])
  return Array.from({ length: random.pick([1, 3, 500]) }, () => one)
}

function ofReads(random: SeededRandom): RequestCase {
  const { version, collection } = placeOf(random)
  const accept = random.pick([
    "application/json",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/vnd.kubernetes.protobuf",
  ])
  const paths = nonEmpty([
    `${collection}?limit=${random.pick([1, 500])}`,
    `${collection}?fieldSelector=${encodeURIComponent(nearly(random, ["spec.n=1", "metadata.name=n1,spec.s!=a"], 2000).toWellFormed())}`,
    `${collection}?watch=1&resourceVersion=0&allowWatchBookmarks=true`,
    `${collection}/n1`,
    `${collection}/n1/scale`,
    `${collection}?sortBy=.metadata.name`,
    `${definitionsPath}?limit=2`,
    `/apis/${fuzzGroup}/${version}`,
    `/openapi/v3/apis/${fuzzGroup}/${version}`,
    "/openapi/v2",
    "/apis",
  ])
  const path = random.pick(paths)
  const isRemoval = path === collection && random.chance(0.2)
  return request(random, { method: isRemoval ? "DELETE" : "GET", path, headers: { accept: path.startsWith("/openapi") ? "*/*" : accept } })
}

/** A body that is no object, where one of a kind or a definition is expected. */
function ofText(random: SeededRandom): RequestCase {
  const { collection } = placeOf(random)
  const media = random.pick(nonEmpty([...oddTypes, ...patchTypes]))
  const isPatch = media.includes("patch")
  const target = random.chance(0.5) ? collection : definitionsPath
  const name = target === collection ? "n1" : `${pluralOf(0)}.${fuzzGroup}`
  const body = Buffer.from(hostileText(random, random.pick([1000, 60_000, 1_000_000])))
  const path = `${target}${isPatch ? `/${name}` : ""}?fieldManager=m`
  return request(random, { method: isPatch ? "PATCH" : "POST", path, headers: { "content-type": media }, body })
}

/** The kind that `run.ts` makes: a hook at the hostile backend converts it. */
export const convertedPlural = "converted"

/** Stands for the uid in an answer; the backend puts the review's uid in its place. */
export const reviewUid = "00000000-0000-0000-0000-000000000000"

/** A read or a write that needs a conversion, and the hook's answer. */
function ofHook(random: SeededRandom): BackendCase {
  const collection = `/apis/${fuzzGroup}/v2/namespaces/default/${convertedPlural}`
  const object = (name: string): Record<string, unknown> => ({
    apiVersion: `${fuzzGroup}/${random.pick(["v2", "v2", "v2", "v1"])}`,
    kind: "Converted",
    metadata: random.pick<unknown>([
      { name, namespace: "default" },
      { name: "other" },
      null,
      { name, labels: { a: 1 } },
      { name, uid: "x" },
    ]),
    spec: random.pick<unknown>([{}, { s: "x".repeat(random.pick([1, 300_000])) }, null, []]),
  })
  const objects = Array.from({ length: random.pick([0, 1, 3, 3, 3, 600]) }, (_, index) => object(`c${index}`))
  const result = random.pick<unknown>([
    { status: "Success" },
    { status: "Success" },
    { status: "Success" },
    { status: "Failed", message: "m".repeat(5000) },
    null,
    1,
  ])
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: random.pick(["ConversionReview", "ConversionReview", "x"]),
    response: random.pick<unknown>([
      { uid: reviewUid, result, convertedObjects: objects },
      { uid: reviewUid, result, convertedObjects: objects },
      { uid: "x" },
      null,
      [],
    ]),
  }
  const text = random.chance(0.8) ? JSON.stringify(review) : hostileText(random, random.pick([100, 300_000]))
  const body = random.chance(0.1) ? mutated(random, Buffer.from(text)) : Buffer.from(text)
  const framing = random.pick([
    `Content-Length: ${body.length}\r\n`,
    `Content-Length: ${body.length}\r\n`,
    "",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
  ])
  const status = random.pick(["200 OK", "200 OK", "200 OK", "500 x", "302 Found", "101 Switching Protocols", "100 Continue"])
  const head = Buffer.from(`HTTP/1.1 ${status}\r\nContent-Type: ${random.pick(["application/json", "x"])}\r\n${framing}\r\n`, "latin1")
  return {
    type: "backend",
    path: random.pick([collection, `${collection}/c0`, `${collection}?watch=1`, `${collection}?limit=2`]),
    answer: random.chance(0.05) ? [] : [head, body],
    endless: random.chance(0.1),
  }
}
