/**
 * For how long does one request about one object block the event loop, when the object has the maximum size? The
 * longest turn of the server's event loop, for every way to send and to request the object. The goal is less than 50
 * ms.
 * Run: npm run bench -- large-objects
 */
import { stringify as yamlText } from "yaml"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import { documentValuesMax } from "../runtime/base/limits.ts"
import { openRegistry } from "../test/support/open-registry.ts"
import { type Answer, openHttp2Client, type Request } from "./support/http2-client.ts"
import { openOptions } from "./support/options.ts"
import { startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const rounds = options.number("rounds", { small: 5, full: 15 })
/** Fields of the maps, near `objectFieldsMax`. */
const keys = options.number("keys", { small: 16_000, full: 16_000 })
/** Only cases whose names contain this word; all cases when it is empty. */
const only = options.word("only", "")
options.done()

const goalMs = 50
const { handle } = await openRegistry()
const server = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes"], reportsTurns: true })
const client = openHttp2Client(server)
const types = { json: "application/json", yaml: "application/yaml", compact: "application/vnd.kubernetes.protobuf" } as const
type Form = keyof typeof types

interface Case {
  readonly name: string
  /** The measured request of the given round. */
  readonly request: (round: number) => Request
  /** Requests sent before, unmeasured. */
  readonly before?: (round: number) => readonly Request[]
  readonly status?: number
}

/** An object, and its collection. */
interface Subject {
  readonly resource: string
  readonly collection: string
  readonly forms: readonly Form[]
  /** The object differs between rounds. */
  readonly object: (round: number) => ApiObject
}

const name = "large"

/** Keys in an order that differs from every usual sort order. */
function scattered(count: number, nameOf: (index: number) => string, value: string): Record<string, string> {
  const step = 7919
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf((index * step) % count), value]))
}

function configMap(round: number): ApiObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: scattered(keys, (index) => `k${index}`, `v${round}`) }
}

const configMaps = "/api/v1/namespaces/default/configmaps"
const subjects: readonly Subject[] = [
  { resource: "configmaps", collection: configMaps, forms: ["json", "yaml", "compact"], object: configMap },
  {
    resource: "secrets",
    collection: "/api/v1/namespaces/default/secrets",
    forms: ["json", "compact"],
    object: (round) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name },
      data: scattered(keys, (index) => String(index), Buffer.from(`v${round}`).toString("base64")),
    }),
  },
  {
    resource: "endpoints",
    collection: "/api/v1/namespaces/default/endpoints",
    forms: ["json", "compact"],
    object: (round) => ({ apiVersion: "v1", kind: "Endpoints", metadata: { name }, subsets: [subset(5000, round)] }),
  },
  {
    resource: "pods",
    collection: "/api/v1/namespaces/default/pods",
    forms: ["json", "compact"],
    object: (round) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { round: String(round) } },
      spec: {
        containers: [{ name: "c", image: "i", env: Array.from({ length: 20_000 }, (_, index) => ({ name: `E${index}`, value: "v" })) }],
      },
    }),
  },
  ...[
    { name: "annotated", field: "annotations" },
    { name: "labelled", field: "labels" },
  ].map(
    ({ name, field }): Subject => ({
      resource: "configmaps",
      collection: configMaps,
      forms: ["json"],
      object: (round) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, [field]: scattered(keys, (index) => `a${index}`, `v${round}`) },
      }),
    }),
  ),
]

function subset(count: number, round: number) {
  const addresses = Array.from({ length: count }, (_, index) => ({
    ip: `10.${round}.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    nodeName: `node-${index % 500}`,
    targetRef: {
      kind: "Pod",
      namespace: "default",
      name: `pod-5d59d67564-${index}`,
      uid: `0b9c1d9e-8f5e-4b61-9f36-${String(index).padStart(12, "0")}`,
    },
  }))
  return { addresses, ports: [{ port: 80, protocol: "TCP" }] }
}

const tables = "application/json;as=Table;v=v1;g=meta.k8s.io"
const partial = ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
const forms: readonly { readonly name: string; readonly accept: string; readonly query?: string }[] = [
  { name: "JSON", accept: types.json },
  { name: "pretty", accept: types.json, query: "?pretty=true" },
  { name: "YAML", accept: types.yaml },
  { name: "compact", accept: types.compact },
  { name: "Table", accept: tables },
  { name: "partial", accept: types.json + partial },
  { name: "partial compact", accept: types.compact + partial },
]

async function encoded(resource: string, object: ApiObject, form: Form): Promise<Buffer> {
  if (form === "json") return Buffer.from(JSON.stringify(object))
  if (form === "yaml") return Buffer.from(yamlText(object))
  const { apiVersion = "", kind = "" } = object
  return (await handle(resource)).compact.encodeEnvelope(object, { apiVersion, kind })
}

function json(contentType: string, value: unknown): Pick<Request, "body" | "contentType"> {
  return { body: Buffer.from(JSON.stringify(value)), contentType }
}

interface Steps {
  readonly title: string
  readonly path: string
  readonly removed: () => Request[]
  readonly made: (round: number) => Request[]
}

/** Create, update and apply in every encoding. */
async function sendingCases(subject: Subject, { title, path, removed, made }: Steps): Promise<Case[]> {
  const { resource, collection, object } = subject
  const cases: Case[] = []
  for (const form of subject.forms) {
    const bodies = await Promise.all(Array.from({ length: rounds }, (_, round) => encoded(resource, object(round), form)))
    const body = (round: number): Pick<Request, "body" | "contentType"> => ({
      body: bodies[round] ?? Buffer.alloc(0),
      contentType: types[form],
    })
    cases.push({
      name: `${title}: create, ${form}`,
      before: removed,
      request: (round) => ({ method: "POST", path: collection, ...body(round) }),
      status: 201,
    })
    cases.push({ name: `${title}: update, ${form}`, before: made, request: (round) => ({ method: "PUT", path, ...body(round) }) })
    if (form === "yaml")
      cases.push({
        name: `${title}: apply, ${form}`,
        before: removed,
        request: (round) => ({
          method: "PATCH",
          path: `${path}?fieldManager=m`,
          ...body(round),
          contentType: "application/apply-patch+yaml",
        }),
        status: 201,
      })
  }
  return cases
}

async function casesOf(subject: Subject): Promise<Case[]> {
  const { resource, collection, object } = subject
  const first = object(0)
  const path = `${collection}/${first.metadata?.name}`
  const title = `${first.kind} ${first.metadata?.name}`
  const remove: Request = { method: "DELETE", path }
  const removed = (): Request[] => [remove, { ...remove, path: `${path}?gracePeriodSeconds=0` }]
  const put = (round: number): Request => ({ method: "PUT", path, ...json(types.json, object(round)) })
  const made = (round: number): Request[] => [...removed(), { method: "POST", path: collection, ...json(types.json, object(round + 100)) }]
  const patch = (type: string, value: unknown, query = ""): Request => ({ method: "PATCH", path: path + query, ...json(type, value) })
  const apply = (round: number, query = ""): Request => patch("application/apply-patch+yaml", object(round), `?fieldManager=m${query}`)
  const cases = await sendingCases(subject, { title, path, removed, made })
  if (resource === "pods") return [...cases, ...getsOf(title, path, made)]
  const data = (round: number): JsonObject => ({ ...object(round), metadata: { ...object(round).metadata } })
  return [
    ...cases,
    { name: `${title}: update that changes nothing`, before: (round) => [...made(round), put(round)], request: put },
    { name: `${title}: merge patch`, before: made, request: (round) => patch("application/merge-patch+json", data(round)) },
    { name: `${title}: strategic patch`, before: made, request: (round) => patch("application/strategic-merge-patch+json", data(round)) },
    {
      name: `${title}: one label, merge patch`,
      before: made,
      request: () => patch("application/merge-patch+json", { metadata: { labels: { a: "b" } } }),
    },
    {
      name: `${title}: one label, JSON patch`,
      before: made,
      request: () => patch("application/json-patch+json", [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }]),
    },
    { name: `${title}: apply, new`, before: removed, request: (round) => apply(round), status: 201 },
    { name: `${title}: apply, own`, before: (round) => [...removed(), apply(round + 100)], request: (round) => apply(round) },
    { name: `${title}: apply, forced`, before: made, request: (round) => apply(round, "&force=true") },
    { name: `${title}: apply, conflicts`, before: made, request: (round) => apply(round), status: 409 },
    {
      name: `${title}: apply, pruned`,
      before: (round) => [...removed(), apply(round)],
      request: () =>
        patch(
          "application/apply-patch+yaml",
          { apiVersion: first.apiVersion, kind: first.kind, metadata: { name: first.metadata?.name } },
          "?fieldManager=m",
        ),
    },
    { name: `${title}: delete`, before: made, request: () => remove },
    ...getsOf(title, path, made),
  ]
}

function getsOf(title: string, path: string, made: (round: number) => Request[]): Case[] {
  return forms.map(({ name: form, accept, query = "" }) => ({
    name: `${title}: get, ${form}`,
    before: made,
    request: () => ({ method: "GET", path: path + query, accept }),
  }))
}

const jsonPatchOperations = 10_000
const unknownKeys = keys

function refusedCases(): Case[] {
  const unknown = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "u" }, ...scattered(unknownKeys, (index) => `u${index}`, "v") }
  const containers = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: Array.from({ length: 65_000 }, () => ({})) },
  }
  const pods = "/api/v1/namespaces/default/pods"
  const compactContainers = Buffer.concat([compactPod(containers.spec.containers.length)])
  const replaced = Object.keys(configMap(0).data as JsonObject).slice(0, jsonPatchOperations)
  const remove: Request = { method: "DELETE", path: `${configMaps}/${name}` }
  return [
    {
      name: "JSON patch of 10,000 keys",
      before: () => [remove, { method: "POST", path: configMaps, ...json(types.json, configMap(0)) }],
      request: (round) => ({
        method: "PATCH",
        path: `${configMaps}/${name}`,
        ...json(
          "application/json-patch+json",
          replaced.map((key) => ({ op: "replace", path: `/data/${key}`, value: `w${round}` })),
        ),
      }),
    },
    {
      name: "unknown keys, JSON",
      before: () => [{ method: "DELETE", path: `${configMaps}/u` }],
      request: () => ({ method: "POST", path: configMaps, ...json(types.json, unknown) }),
      status: 201,
    },
    {
      name: "unknown keys, strict",
      request: () => ({ method: "POST", path: `${configMaps}?fieldValidation=Strict`, ...json(types.json, unknown) }),
      status: 400,
    },
    {
      name: "unknown keys, YAML",
      before: () => [{ method: "DELETE", path: `${configMaps}/u` }],
      request: () => ({ method: "POST", path: configMaps, contentType: types.yaml, body: Buffer.from(yamlText(unknown)) }),
      status: 201,
    },
    { name: "empty containers, JSON", request: () => ({ method: "POST", path: pods, ...json(types.json, containers) }), status: 0 },
    {
      name: "empty containers, compact",
      request: () => ({ method: "POST", path: pods, contentType: types.compact, body: compactContainers }),
      status: 0,
    },
  ]
}

/** A pod with this many empty containers: two bytes each. */
function compactPod(containers: number): Buffer {
  const spec = Buffer.from("1200".repeat(containers), "hex")
  const raw = Buffer.concat([Buffer.from([0x12]), varint(spec.length), spec])
  const typeMeta = Buffer.from("0a0276311203506f64", "hex")
  return Buffer.concat([
    Buffer.from("k8s\0"),
    Buffer.from([0x0a]),
    varint(typeMeta.length),
    typeMeta,
    Buffer.from([0x12]),
    varint(raw.length),
    raw,
  ])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest])
    bytes.push((rest & 0x7f) | 0x80)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}

async function measure({ name: title, request, before, status = 200 }: Case): Promise<void> {
  const longest: number[] = []
  for (let round = 0; round < rounds; round++) {
    for (const prepared of before?.(round) ?? []) await client.send(prepared)
    const sent = request(round)
    let answer: Answer | undefined
    const [turnMs = 0] = await server.longestTurns(async () => {
      answer = await client.send(sent)
    })
    if (status !== 0 && answer?.status !== status) throw new Error(`${title}: ${answer?.status} ${answer?.head}`)
    longest.push(turnMs)
  }
  const medianMs = median(longest)
  printRow({ case: title, medianMs, maxMs: Math.max(...longest), goalMs, kept: medianMs < goalMs })
}

await client.connected()
if (keys > documentValuesMax) throw new Error(`a document may have ${documentValuesMax} values`)
const all = [...(await Promise.all(subjects.map(casesOf))).flat(), ...refusedCases()]
for (const one of all) if (one.name.includes(only)) await measure(one)
client.close()
await server.stop()
process.exit()
