/**
 * Pods of one template share their spec, decoded and encoded once (`encoding/settled.ts`). Any operations on them have
 * the same results as on a server that reads each spec: the other server gets its bodies in ever other spacing.
 */
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { podShape } from "../generated/core/v1/pod/shape.ts"
import { createProtobufCodec, unwrapUnknown } from "../runtime/encoding/protobuf/codec.ts"
import { isObject, type JsonObject, type JsonValue } from "../runtime/base/json.ts"
import { recentObjectsBytes } from "../runtime/base/limits.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

interface Side {
  readonly server: InProcess
  readonly client: HttpClient
  readonly spacing: (document: JsonValue) => string
}

const sides: Side[] = []
let bodies = 0

beforeAll(async () => {
  for (const spacing of [(document: JsonValue) => JSON.stringify(document), (document: JsonValue) => respaced(document)]) {
    const server = await startInProcess({ store: "memory", vendor: "kubernetes" })
    const client = createHttpClient({ protocol: "http2", port: server.port, authority: server.authority })
    sides.push({ server, client, spacing })
  }
})
afterAll(async () => {
  for (const { server, client } of sides) {
    client.close()
    await server.stop()
  }
})

/** The document's JSON in a spacing of its own: no other body begins like it. */
function respaced(document: JsonValue): string {
  return JSON.stringify(document, undefined, 1 + (bodies++ % 9)).replaceAll('": ', `":${" ".repeat(1 + (bodies % 60))}`)
}

const media = {
  json: "application/json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
}

async function ask({ server, client, spacing }: Side, { method, path, body, type = "json", accept }: Request): Promise<Answer> {
  const { status, body: answer } = await client.send({
    method,
    path,
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": media[type],
      ...(accept !== undefined && { accept }),
    },
    ...(body !== undefined && { body: Buffer.from(spacing(body)) }),
  })
  return { status, bytes: answer }
}

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: JsonValue
  readonly type?: keyof typeof media
  readonly accept?: string
}

interface Answer {
  readonly status: number
  readonly bytes: Buffer
}

/** Fields that differ between any two servers. */
const own = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "lastTransitionTime",
  "lastProbeTime",
  "startTime",
  "deletionTimestamp",
])

function shown({ status, bytes }: Answer): unknown {
  const document: unknown = JSON.parse(bytes.toString())
  return { status, document: JSON.parse(JSON.stringify(document, (name, value) => (own.has(name) ? `<${typeof value}>` : value))) }
}

const container = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  image: "nginx:1.27",
  env: Array.from({ length: 12 }, (_, at) => ({ name: `SETTING_${at}`, value: `ü${"v".repeat(20)}` })),
  ...more,
})
const secured = { securityContext: { runAsNonRoot: true } }
const specs: readonly JsonObject[] = [
  { containers: [container("a"), container("b", secured)] },
  { containers: [container("a")], terminationGracePeriodSeconds: -3 },
  { containers: [container("a", { resources: { limits: { cpu: "0.1234567" } } })] },
  { containers: [container("a", { image: "" })] },
  { containers: [container("a"), container("a")] },
  { containers: [container("a")], volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claim() } } }] },
  { containers: [container("a")], schedulingGates: [{ name: "example.com/wait" }] },
  { containers: [container("a", { unheardOf: 1 })] },
  { containers: [container("a")], nodeSelector: { "beta.kubernetes.io/os": "linux" } },
]

function claim(): JsonObject {
  return { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
}

const names = ["one", "two", "three", `long-${"x".repeat(245)}`]
const annotations = [undefined, { note: '{"spec":{}}' }, { "container.apparmor.security.beta.kubernetes.io/a": "runtime/default" }]

type Step = (pods: string) => {
  readonly method: string
  readonly name: string
  readonly make: (stored: JsonObject) => Omit<Request, "method">
}

const name = fc.constantFrom(...names)
const create = fc.record({ name, spec: fc.constantFrom(...specs), metadata: fc.constantFrom(...annotations), status: fc.boolean() })
const change = fc.constantFrom<(pod: JsonObject) => JsonObject>(
  (pod) => ({ ...pod, metadata: { ...metadataOf(pod), labels: { changed: "1" } } }),
  (pod) => ({ ...pod, spec: { ...specOf(pod), activeDeadlineSeconds: 60 } }),
  (pod) => ({ ...pod, spec: { ...specOf(pod), containers: [container("a", { image: "nginx:2" })] } }),
  (pod) => ({ ...pod, metadata: { ...metadataOf(pod), managedFields: [] } }),
  (pod) => ({ ...pod, metadata: { ...metadataOf(pod), resourceVersion: "1" } }),
  (pod) => pod,
)

function metadataOf(pod: JsonObject): JsonObject {
  return isObject(pod.metadata) ? pod.metadata : {}
}

function specOf(pod: JsonObject): JsonObject {
  return isObject(pod.spec) ? pod.spec : {}
}

const running = { phase: "Running", podIP: "10.0.0.1", conditions: [{ type: "Ready", status: "True" }] }
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  create.map(
    ({ name: of, spec, metadata, status }): Step =>
      (pods) => ({
        method: "POST",
        name: of,
        make: () => ({
          path: pods,
          body: {
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name: of, ...(metadata && { annotations: metadata }) },
            spec,
            ...(status && { status: {} }),
          },
        }),
      }),
  ),
  create.map(
    ({ name: of, spec }): Step =>
      (pods) => ({
        method: "POST",
        name: of,
        make: () => ({ path: pods, body: { apiVersion: "v1", kind: "Pod", metadata: { name: of }, spec } }),
      }),
  ),
  fc.tuple(name, change).map(
    ([of, next]): Step =>
      (pods) => ({ method: "PUT", name: of, make: (pod) => ({ path: `${pods}/${of}`, body: next(pod) }) }),
  ),
  fc.tuple(name, change).map(
    ([of, next]): Step =>
      (pods) => ({
        method: "PUT",
        name: of,
        make: (pod) => ({ path: `${pods}/${of}/status`, body: { ...next(pod), status: running } }),
      }),
  ),
  name.map(
    (of): Step =>
      (pods) => ({
        method: "PATCH",
        name: of,
        make: () => ({ path: `${pods}/${of}/status`, type: "strategic", body: { status: running } }),
      }),
  ),
  name.map(
    (of): Step =>
      (pods) => ({
        method: "PATCH",
        name: of,
        make: () => ({
          path: `${pods}/${of}`,
          type: "merge",
          body: { metadata: { labels: { a: "b" } }, spec: { terminationGracePeriodSeconds: -1 } },
        }),
      }),
  ),
  name.map(
    (of): Step =>
      (pods) => ({
        method: "PATCH",
        name: of,
        make: () => ({
          path: `${pods}/${of}?fieldManager=tests&force=true`,
          type: "apply",
          body: { apiVersion: "v1", kind: "Pod", metadata: { name: of, labels: { owner: "tests" } } },
        }),
      }),
  ),
  name.map(
    (of): Step =>
      (pods) => ({
        method: "PATCH",
        name: of,
        make: () => ({
          path: `${pods}/${of}/ephemeralcontainers`,
          type: "strategic",
          body: { spec: { ephemeralContainers: [container("debug")] } },
        }),
      }),
  ),
  name.map(
    (of): Step =>
      (pods) => ({
        method: "POST",
        name: of,
        make: () => ({
          path: `${pods}/${of}/binding`,
          body: { apiVersion: "v1", kind: "Binding", metadata: { name: of }, target: { kind: "Node", name: "n" } },
        }),
      }),
  ),
)

const codec = createProtobufCodec(podShape)

/** The stored message of a pod, decoded. */
async function inProtobuf(side: Side, path: string): Promise<unknown> {
  const { status, bytes } = await ask(side, { method: "GET", path, accept: "application/vnd.kubernetes.protobuf" })
  const text = JSON.stringify(status === 200 ? codec.decode(unwrapUnknown(bytes).raw) : {})
  return shown({ status, bytes: Buffer.from(text) })
}

let runs = 0

it("pods are the same whether their spec was read or known", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
      const namespace = `run-${runs++}`
      const pods = `/api/v1/namespaces/${namespace}/pods`
      for (const side of sides) await ask(side, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } })
      for (const of of steps) {
        const { method, name: podName, make } = of(pods)
        const answers: unknown[] = []
        for (const side of sides) {
          const stored: unknown = JSON.parse((await ask(side, { method: "GET", path: `${pods}/${podName}` })).bytes.toString())
          answers.push(shown(await ask(side, { method, ...make(isObject(stored) ? stored : {}) })))
          answers.push(shown(await ask(side, { method: "GET", path: `${pods}/${podName}` })))
          answers.push(await inProtobuf(side, `${pods}/${podName}`))
        }
        expect(answers.slice(0, 3)).toEqual(answers.slice(3))
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)

it("pods that are no longer kept decoded are the same whether their spec is read or known", async () => {
  const namespace = "/api/v1/namespaces/many"
  const note = "n".repeat(60_000)
  const pods = `${namespace}/pods`
  const [spec = {}] = specs
  const pod = (podName: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: podName, annotations: { note } }, spec })
  // The last pods take the place of the first among the decoded objects.
  const count = Math.ceil((1.2 * recentObjectsBytes) / note.length)
  const answers: unknown[][] = []
  for (const side of sides) {
    const seen: unknown[] = []
    const see = async (request: Request) => seen.push(shown(await ask(side, request)))
    await see({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "many" } } })
    for (let at = 0; at < count; at++) await ask(side, { method: "POST", path: pods, body: pod(`pod-${at}`) })
    await see({ method: "PATCH", path: `${pods}/pod-0/status`, type: "strategic", body: { status: running } })
    await see({ method: "PATCH", path: `${pods}/pod-1`, type: "merge", body: { metadata: { labels: { a: "b" } } } })
    await see({ method: "PATCH", path: `${pods}/pod-2`, type: "merge", body: { spec: { activeDeadlineSeconds: 60 } } })
    await see({ method: "DELETE", path: `${pods}/pod-3` })
    await see({ method: "DELETE", path: `${pods}/pod-${count - 1}` })
    for (const at of [0, 1, 2, 3, 4]) await see({ method: "GET", path: `${pods}/pod-${at}` })
    answers.push(seen)
  }
  expect(answers[0]).toEqual(answers[1])
}, 120_000)
