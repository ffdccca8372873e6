/** The parts of the differential with fakes, and all of it over two of our own servers. */
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../runtime/base/json.ts"
import type { Facts } from "../real-answers/compared.ts"
import { recordedGroups, type Step } from "../real-answers/recorded.ts"
import { openSender } from "../real-answers/send.ts"
import { createRandom } from "../sim/world/random.ts"
import { startCluster } from "../clients/cluster.ts"
import { createHttpClient } from "../support/http-client.ts"
import { mutate } from "./generate.ts"
import { type FoundClass, hunt } from "./hunt.ts"
import { kindsOf } from "./kinds.ts"
import { ownersClass } from "./owners.ts"
import { jsonPatch, mergePatch } from "./probe.ts"
import { Schemas } from "./schemas.ts"
import { shrinkBody } from "./shrink.ts"

const schemas = new Schemas({
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: { spec: { allOf: [{ $ref: "#/components/schemas/Spec" }] } },
        "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Thing" }],
      },
      Spec: {
        type: "object",
        properties: { size: { type: "integer" }, mode: { type: "string", description: 'Either "Fast" or "Slow".' } },
      },
    },
  },
})

describe("the generator", () => {
  const base = { apiVersion: "v1", kind: "Thing", spec: { size: 1, mode: "Fast" } }

  it("changes little, the same for the same seed, and finds values that descriptions name", () => {
    const schema = schemas.ofKind("v1", "Thing") ?? {}
    const drawn = (seed: number): JsonObject[] => {
      const random = createRandom(seed)
      return Array.from({ length: 200 }, () => mutate(random, schemas, base, schema))
    }
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
    const texts = drawn(1).map((one) => JSON.stringify(one))
    expect(texts.filter((text) => text.includes('"mode":"Slow"')).length).toBeGreaterThan(0)
    expect(texts.filter((text) => text.includes('"kind":"Thing"')).length).toBeGreaterThan(150)
    expect(base).toEqual({ apiVersion: "v1", kind: "Thing", spec: { size: 1, mode: "Fast" } })
  })

  it("makes patches of changes", () => {
    const [before, after] = [
      { a: { "b/c": 1, d: 2 }, e: 1 },
      { a: { "b/c": 3 }, f: [1] },
    ]
    expect(mergePatch({ ...before }, { ...after })).toEqual({ a: { "b/c": 3, d: null }, e: null, f: [1] })
    expect(jsonPatch({ ...before }, { ...after })).toEqual([
      { op: "replace", path: "/a/b~1c", value: 3 },
      { op: "remove", path: "/a/d" },
      { op: "remove", path: "/e" },
      { op: "add", path: "/f", value: [1] },
    ])
  })
})

describe("the shrinker", () => {
  it("keeps what is needed, and stops after its attempts", async () => {
    let asked = 0
    const differs = async (body: unknown): Promise<boolean> => {
      asked++
      return JSON.stringify(body).includes('"bad"')
    }
    const body = { a: { b: [1, { c: "bad", d: 1 }, 2] }, e: { f: 1 } }
    expect(await shrinkBody(body, differs, 100)).toEqual({ a: { b: [{ c: "bad" }] } })
    asked = 0
    await shrinkBody(body, differs, 3)
    expect(asked).toBe(3)
  })
})

describe("a class of owners", () => {
  const facts = (...sets: JsonObject[]): Facts => ({
    code: 200,
    object: { metadata: { managedFields: sets.map((fieldsV1, at) => ({ manager: `m${at}`, time: "<now>", fieldsV1 })) } },
  })

  it("is one for the fields of a list, a map and their containers, and another for another field", () => {
    const both = facts({ "f:data": { ".": {}, "f:a": {} }, "f:spec": { "f:size": {} } })
    expect(ownersClass(both, facts({ "f:data": { "f:a": {} }, "f:spec": { "f:size": {} } }))).toBe("managed fields: f:data")
    expect(ownersClass(both, facts({ "f:data": { ".": {} }, "f:spec": { "f:size": {} } }))).toBe("managed fields: f:data")
    expect(ownersClass(both, facts({ "f:spec": { "f:size": {} } }, { "f:data": { ".": {}, "f:a": {} } }))).toBe("managed fields: f:data")
    expect(ownersClass(both, facts({ "f:data": { ".": {}, "f:a": {} } }))).toBe("managed fields: f:spec")
    expect(ownersClass(both, facts({ "f:data": { ".": {}, "f:a": {} }, "f:spec": {} }))).toBe("managed fields: f:spec.f:size")
    expect(ownersClass(both, { code: 200, object: {} })).toBe("managed fields: none here")
  })
})

describe("two of our own servers", () => {
  it("answer alike, and a planted difference is found and shrunk", { timeout: 180_000 }, async () => {
    const options = { store: "memory", controllers: ["api"] } as const
    const [one, two] = await Promise.all([startCluster(options), startCluster(options)])
    const ports = [one, two].map(({ url, token, caPem: authority }) => ({ port: Number(new URL(url).port), token, authority }))
    const [a, b] = ports.map(openSender)
    const [first] = ports
    if (a === undefined || b === undefined || first === undefined) throw new Error("two servers were started")
    const client = createHttpClient({ protocol: "http1", ...first })
    try {
      const get = async (path: string): Promise<JsonObject> =>
        JSON.parse((await client.send({ method: "GET", path, headers: { authorization: `Bearer ${one.token}` } })).body.toString("utf8"))
      const kinds = await kindsOf(recordedGroups(), ["ConfigMap", "Service", "Role"], get)
      expect(kinds.map(({ name }) => name)).toEqual(["ConfigMap", "Service", "Role"])
      for (const kind of kinds) for (const step of kind.setup) await Promise.all([a.send(step, {}), b.send(step, {})])
      const run = async (ours: (step: Step) => Promise<Facts>): Promise<FoundClass[]> => {
        let left = 150
        const { classes } = await hunt({
          seed: 7,
          kinds,
          servers: { real: (step) => a.send(step, {}), ours },
          goesOn: () => left-- > 0,
          isKnown: () => false,
          found: () => undefined,
        })
        return [...classes.values()]
      }
      let [creations, deletions] = [0, 0]
      const alike = await run((step) => {
        if (step.m === "POST" && !step.p.includes("dryRun")) creations++
        if (step.m === "DELETE" && !step.p.includes("dryRun")) deletions++
        return b.send(step, {})
      })
      expect(alike).toEqual([])
      expect(creations).toBeGreaterThan(10)
      expect(deletions).toBeGreaterThanOrEqual(creations)
      const planted = await run(async (step) => {
        const facts = await b.send(step, {})
        const spec = (facts.object as JsonObject | undefined)?.["spec"] as JsonObject | undefined // Of a Service.
        return spec?.["externalName"] === undefined && spec !== undefined && "sessionAffinity" in spec && facts.code === 201
          ? { ...facts, object: { ...(facts.object as JsonObject), spec: { ...spec, sessionAffinity: "Wrong" } } }
          : facts
      })
      expect(planted.map(({ name }) => name)).toEqual(["object .spec.sessionAffinity"])
      const body = JSON.stringify(planted[0]?.probe.steps.at(-1)?.b)
      expect(body.length).toBeLessThan(200)
    } finally {
      client.close()
      a.close()
      b.close()
      await Promise.all([one.remove(), two.remove()])
    }
  })
})
