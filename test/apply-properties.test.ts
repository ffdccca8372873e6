/**
 * Properties of apply for every configuration, over HTTP (specification 4.8): applying twice equals applying once, and
 * two managers that do not want different values of a field may apply in either order.
 */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../runtime/base/json.ts"
import { type AppliedKind, appliedKinds, newPod, removableKinds, together } from "./support/apply-pieces.ts"
import { createHttpClient, type HttpAnswer, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const runs = Number(process.env.APPLY_RUNS ?? 25)

let at: InProcess
let client: HttpClient
let count = 0

beforeAll(async () => {
  // The owners named in these objects do not exist.
  at = await startInProcess({ store: "memory", vendor: "orch", garbageCollector: false })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  for (const name of ["one-two", "two-one"]) await send("POST", "/api/v1/namespaces", { metadata: { name } })
})

afterAll(async () => {
  client.close()
  await at.stop()
  expect(at.log.filter((line) => line.includes("ERROR"))).toEqual([])
})

type Share = "one" | "two" | "both" | "nobody"

/** Two configurations: every piece belongs to one manager, to both, or to neither. */
function shares({ pieces, alone = [] }: AppliedKind): fc.Arbitrary<{ one: JsonObject; two: JsonObject }> {
  const shared = fc.constantFrom<Share>("nobody", "nobody", "one", "two", "both")
  const single = fc.constantFrom<Share>("nobody", "one", "two")
  return fc.tuple(...pieces.map((piece) => fc.tuple(shared, piece)), ...alone.map((piece) => fc.tuple(single, piece))).map((dealt) => ({
    one: dealt.filter(([to]) => to === "one" || to === "both").reduce((config, [, piece]) => together(config, piece), {}),
    two: dealt.filter(([to]) => to === "two" || to === "both").reduce((config, [, piece]) => together(config, piece), {}),
  }))
}

describe.each(appliedKinds.map((kind) => [`${kind.kind}${kind.subresource === undefined ? "" : `/${kind.subresource}`}`, kind] as const))(
  "apply to %s",
  (_, kind) => {
    it("changes nothing the second time, and commutes with applies of others", async () => {
      const property = fc.asyncProperty(shares(kind), async ({ one, two }) => {
        const name = `object-${count++}`
        const left = await begin(kind, "one-two", name)
        const once = await apply(left, "one", one)
        expect(await apply(left, "one", one)).toEqual(once)
        const oneTwo = await apply(left, "two", two)
        expect(await apply(left, "two", two), "the same once more").toEqual(oneTwo)
        expect(await apply(left, "one", one), "the other's once more").toEqual(oneTwo)
        const right = await begin(kind, "two-one", name)
        await apply(right, "two", two)
        const twoOne = await apply(right, "one", one)
        expect(comparable(twoOne)).toEqual(comparable(oneTwo))
        await remove(left)
        await remove(right)
      })
      await fc.assert(property, { numRuns: runs })
    })
  },
)

describe.each([newPod, ...removableKinds].map((kind) => [kind.kind, kind] as const))("apply of a new %s", (_, kind) => {
  it("changes nothing the second time", async () => {
    const property = fc.asyncProperty(shares(kind), async ({ one }) => {
      const target: Target = { kind, namespace: "one-two", name: `object-${count++}` }
      const first = await apply(target, "one", together(kind.base, one))
      expect(await apply(target, "one", together(kind.base, one))).toEqual(first)
      await remove(target)
    })
    await fc.assert(property, { numRuns: runs })
  })
})

describe.each(removableKinds.map((kind) => [kind.kind, kind] as const))("apply of another configuration of a %s", (_, kind) => {
  it("removes fields that it omits, and the first one restores them", async () => {
    const property = fc.asyncProperty(shares(kind), async ({ one, two }) => {
      const target: Target = { kind, namespace: "one-two", name: `object-${count++}` }
      const bare = await apply(target, "one", kind.base)
      const first = await apply(target, "one", together(kind.base, one))
      await apply(target, "one", together(kind.base, two))
      expect(stateOf(await apply(target, "one", together(kind.base, one)))).toEqual(stateOf(first))
      expect(stateOf(await apply(target, "one", kind.base))).toEqual(stateOf(bare))
      await remove(target)
    })
    await fc.assert(property, { numRuns: runs })
  })
})

interface Target {
  readonly kind: AppliedKind
  readonly namespace: string
  readonly name: string
}

function pathOf({ kind, namespace }: Target): string {
  const root = kind.apiVersion === "v1" ? "/api/v1" : `/apis/${kind.apiVersion}`
  return kind.resource === "nodes" ? `${root}/nodes` : `${root}/namespaces/${namespace}/${kind.resource}`
}

/** The object that both managers start from. Cluster-scoped ones include the namespace in their name. */
async function begin(kind: AppliedKind, namespace: string, name: string): Promise<Target> {
  const target = { kind, namespace, name: kind.resource === "nodes" ? `${name}-${namespace}` : name }
  await apply({ ...target, kind: { ...kind, subresource: undefined } }, "base", kind.base)
  return target
}

/** Returns the object after the apply. Advances the clock first, so that any write is visible. */
async function apply(target: Target, manager: string, config: JsonObject): Promise<JsonObject> {
  at.clock.advance(1000)
  const { kind, name } = target
  const metadata = isObject(config["metadata"]) ? config["metadata"] : {}
  const subresource = kind.subresource === undefined ? "" : `/${kind.subresource}`
  const body = { ...config, apiVersion: kind.apiVersion, kind: kind.kind, metadata: { ...metadata, name } }
  return send("PATCH", `${pathOf(target)}/${name}${subresource}?fieldManager=${manager}`, body)
}

async function remove(target: Target): Promise<void> {
  const path = `${pathOf(target)}/${target.name}`
  await send("DELETE", `${path}?gracePeriodSeconds=0&propagationPolicy=Background`)
  const left = await request("GET", path)
  if (left.status === 404) return
  await send("PATCH", path, { metadata: { finalizers: null } }, "application/merge-patch+json")
}

async function send(method: string, path: string, body?: object, contentType?: string): Promise<JsonObject> {
  const answer = await request(method, path, body, contentType)
  const text = answer.body.toString("utf8")
  if (answer.status >= 300) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

function request(method: string, path: string, body?: object, contentType?: string): Promise<HttpAnswer> {
  const type = contentType ?? (method === "PATCH" ? "application/apply-patch+yaml" : "application/json")
  const headers = { authorization: `Bearer ${at.token}`, ...(body !== undefined && { "content-type": type }) }
  return client.send({ method, path, headers, ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }) })
}

/** Removes the fields that differ between two equal objects. Lists that two managers write have no common order. */
function comparable(object: JsonObject): JsonValue {
  const { metadata, spec } = object
  const {
    uid: _,
    resourceVersion: __,
    namespace: ___,
    creationTimestamp: ____,
    generation: _____,
    ...rest
  } = isObject(metadata) ? metadata : {}
  const { clusterIP: ______, clusterIPs: _______, ...specified } = isObject(spec) ? spec : {}
  const named = { ...rest, name: "", managedFields: owners(rest["managedFields"]) }
  return sorted({ ...object, metadata: named, spec: specified })
}

function owners(managedFields: JsonValue | undefined): JsonValue {
  if (!Array.isArray(managedFields)) return []
  return managedFields.filter(isObject).map(({ time: _, ...entry }) => entry)
}

/** The object without its history. */
function stateOf(object: JsonObject): JsonObject {
  const { metadata } = object
  const { resourceVersion: _, generation: __, ...rest } = isObject(metadata) ? metadata : {}
  return { ...object, metadata: { ...rest, managedFields: owners(rest["managedFields"]) } }
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted).sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, sorted(field ?? null)]))
}
