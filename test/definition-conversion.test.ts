/** Definitions with several versions in a running server, converted by a web hook or by a change of apiVersion. */
import type { ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createServer, type Server } from "node:https"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { startServer } from "../runtime/library.ts"
import { type ApiObject, isObject, type JsonObject } from "../runtime/base/json.ts"
import type { CollectionPlace, ObjectClient, ObjectPlace, WatchEvent } from "../runtime/schema/object-client.ts"
import { createHttpClient } from "./support/http-client.ts"
import { createTestAuthority, type IssuedPair, type TestAuthority } from "./support/certificates.ts"

const group = "kitchen.example.com"
const definitions: CollectionPlace = { group: "apiextensions.orch.io", version: "v1", resource: "customresourcedefinitions", namespace: "" }
const definitionPlace: ObjectPlace = { ...definitions, name: `kettles.${group}` }

type Fault = (response: ServerResponse) => void

/** Sends data as long as the connection takes it. */
const endless: Fault = (response) => {
  const piece = Buffer.alloc(64 * 1024, " ")
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on("drain", more)
  more()
}

/** The web hook: the reviews that it got, and its behaviour besides renaming `size` to `width` and back. */
interface Hook {
  readonly port: number
  readonly calls: { readonly desired: string; readonly names: readonly string[] }[]
  change: (object: JsonObject, desired: string) => void
  /** Answers 500 while it is true. */
  isBroken: boolean
  /** Replaces the answer while it is set. */
  fault: Fault | undefined
  /** The next answer waits for it. */
  hold: Promise<void> | undefined
}

let authority: TestAuthority
let pair: IssuedPair
let listener: Server
let hook: Hook
let server: Awaited<ReturnType<typeof startServer>>
let client: ObjectClient

beforeAll(async () => {
  authority = await createTestAuthority("hooks")
  pair = await authority.issue()
})

beforeEach(async () => {
  listener = createServer({ cert: pair.certificate, key: pair.key })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  hook = { port: (listener.address() as AddressInfo).port, calls: [], change: () => {}, isBroken: false, fault: undefined, hold: undefined }
  listener.on("request", (request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    request.on("end", () => {
      if (hook.fault !== undefined) hook.fault(response)
      else if (hook.isBroken) response.writeHead(500, { "content-type": "text/plain" }).end("broken")
      else {
        const answer = JSON.stringify(answered(JSON.parse(text)))
        const { hold = Promise.resolve() } = hook
        hook.hold = undefined
        hold.then(() => response.writeHead(200, { "content-type": "application/json" }).end(answer))
      }
    })
  })
  server = await startServer()
  client = server.client
})

afterEach(async () => {
  await server.stop()
  listener.closeAllConnections()
  await new Promise((resolve) => listener.close(resolve))
})

afterAll(() => expect(hook.calls.every(({ names }) => names.length > 0)).toBe(true))

function answered({
  apiVersion,
  request,
}: {
  apiVersion: string
  request: { uid: string; desiredAPIVersion: string; objects: ApiObject[] }
}) {
  const { desiredAPIVersion: desired, objects, uid } = request
  hook.calls.push({ desired: desired.split("/")[1] ?? "", names: objects.map(({ metadata }) => metadata?.name ?? "") })
  const convertedObjects = objects.map((object) => {
    const { size, width, ...rest }: JsonObject = isObject(object["spec"]) ? object["spec"] : {}
    const value = size ?? width
    const spec = value === undefined ? rest : { ...rest, [desired.endsWith("v2") ? "width" : "size"]: value }
    const converted: JsonObject = { ...object, apiVersion: desired, spec }
    hook.change(converted, desired)
    return converted
  })
  return { apiVersion, kind: "ConversionReview", response: { uid, result: { status: "Success" }, convertedObjects } }
}

/** `none`: strategy None. `stored`: the storage version. */
async function define({ none = false, stored = "v1" } = {}): Promise<void> {
  const version = (name: string, field: string): JsonObject => ({
    name,
    served: true,
    storage: name === stored,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          // Shows a test which definition an answer was made with.
          epoch: { type: "string", default: stored },
          spec: { type: "object", properties: { [field]: { type: "integer" }, note: { type: "string" } } },
        },
      },
    },
  })
  const clientConfig = { url: `https://127.0.0.1:${hook.port}/convert`, caBundle: Buffer.from(authority.certificate).toString("base64") }
  const webhook = { conversionReviewVersions: ["v1"], clientConfig }
  const definition = {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: definitionPlace.name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: [version("v1", "size"), version("v2", "width")],
      conversion: none ? { strategy: "None" } : { strategy: "Webhook", webhook },
    },
  }
  const before = await client.get(definitionPlace).catch(() => undefined)
  if (before === undefined) await client.create(definitions, definition)
  else await client.update(definitionPlace, { ...definition, metadata: before.metadata })
  await until(async () => {
    const { epoch } = await client.create(kettles("v1"), object("probe", "v1", {}), { dryRun: true })
    if (epoch !== stored) throw new Error("the kinds are not those of the definition yet")
  })
  hook.calls.length = 0
}

/** Repeats a request until it succeeds: the table of kinds follows the store a moment later. */
async function until(ask: () => Promise<unknown>): Promise<void> {
  while ((await ask().catch((error: Error) => error)) instanceof Error) await new Promise((resolve) => setImmediate(resolve))
}

/** The text of `/metrics`. */
async function metricsText(): Promise<string> {
  const { caPem, token, url } = server
  const http = createHttpClient({ protocol: "http1", port: Number(new URL(url).port), authority: caPem })
  const { body } = await http.send({ method: "GET", path: "/metrics", headers: { authorization: `Bearer ${token}` } })
  http.close()
  return body.toString()
}

const kettles = (version: string): CollectionPlace => ({ group, version, resource: "kettles", namespace: "default" })
const kettle = (name: string, version: string): ObjectPlace => ({ ...kettles(version), name })
const object = (name: string, version: string, spec: JsonObject): ApiObject => ({
  apiVersion: `${group}/${version}`,
  kind: "Kettle",
  metadata: { name },
  spec,
})
const create = (name: string, version: string, spec: JsonObject): Promise<ApiObject> =>
  client.create(kettles(version), object(name, version, spec))
const specs = (items: readonly ApiObject[]): unknown[] =>
  items.map(({ apiVersion, metadata, spec }) => [apiVersion?.split("/")[1], metadata?.name, spec])
const calls = (): string[] => hook.calls.splice(0).map(({ desired, names }) => `${desired}: ${names.join(" ")}`)

describe("with a web hook", () => {
  it("is read and written in every version, and stored in one", async () => {
    await define()
    await create("a", "v1", { size: 1, note: "x" })
    expect(calls()).toEqual([])
    expect(specs([await client.get(kettle("a", "v2"))])).toEqual([["v2", "a", { note: "x", width: 1 }]])
    const made = await create("b", "v2", { width: 2 })
    expect(specs([made])).toEqual([["v2", "b", { width: 2 }]])
    expect(made.metadata?.resourceVersion).toMatch(/^[0-9]+$/)
    expect(calls()).toEqual(["v2: a", "v1: b", "v2: b"])
    expect(specs([await client.patch(kettle("a", "v2"), { spec: { width: 7 } })])).toEqual([["v2", "a", { note: "x", width: 7 }]])
    calls()
    expect(specs((await client.list(kettles("v1"))).items)).toEqual([
      ["v1", "a", { note: "x", size: 7 }],
      ["v1", "b", { size: 2 }],
    ])
    expect(calls()).toEqual([])
    await client.delete(kettle("b", "v2"))
    await expect(client.get(kettle("b", "v1"))).rejects.toMatchObject({ code: 404 })
  })

  it("converts the objects of a list in one call, and keeps what it got", async () => {
    await define()
    for (const name of ["a", "b", "c"]) await create(name, "v1", { size: 1 })
    const listed = await client.list(kettles("v2"))
    expect(specs(listed.items)).toEqual(["a", "b", "c"].map((name) => ["v2", name, { width: 1 }]))
    expect(calls()).toEqual(["v2: a b c"])
    await client.patch(kettle("b", "v1"), { spec: { size: 5 } })
    await client.list(kettles("v2"))
    expect(calls()).toEqual(["v2: b"])
    // Concurrent requests share a call.
    await client.patch(kettle("c", "v1"), { spec: { size: 6 } })
    await Promise.all([client.list(kettles("v2")), client.get(kettle("c", "v2")), client.list(kettles("v2"))])
    expect(calls()).toEqual(["v2: c"])
  })

  it("selects and pages by what the version of the request shows", async () => {
    await define()
    for (const name of ["a", "b", "c", "d"]) await create(name, "v1", { size: name === "b" ? 0 : 1 })
    hook.change = (converted, desired) => {
      const big = isObject(converted["spec"]) && converted["spec"]["width"] === 1
      const metadata = isObject(converted["metadata"]) ? converted["metadata"] : {}
      if (desired.endsWith("v2")) converted["metadata"] = { ...metadata, labels: { big: String(big) } }
    }
    const first = await client.list(kettles("v2"), { labelSelector: "big=true", limit: 2 })
    expect(first.items.map(({ metadata }) => metadata?.name)).toEqual(["a", "c"])
    const second = await client.list(kettles("v2"), { labelSelector: "big=true", limit: 2, continue: first.metadata.continue ?? "" })
    expect(second.items.map(({ metadata }) => metadata?.name)).toEqual(["d"])
    expect((await client.list(kettles("v1"), { labelSelector: "big=true" })).items).toEqual([])
    const unfiltered = await client.list(kettles("v2"), { limit: 3 })
    expect(unfiltered.items.length).toBe(3)
    expect(unfiltered.metadata.remainingItemCount).toBe(1)
    const named = await client.list(kettles("v2"), { fieldSelector: "metadata.name=b" })
    expect(specs(named.items)).toEqual([["v2", "b", { width: 0 }]])
  })

  it("shows watches the version of their request, in order", async () => {
    await define()
    await create("a", "v1", { size: 1 })
    const watch = client.watch(kettles("v2"))[Symbol.asyncIterator]()
    const next = async (): Promise<unknown> => {
      const { value } = await watch.next()
      const { type, object: shown }: WatchEvent = value
      return [type, shown.apiVersion?.split("/")[1], shown.metadata?.name, shown.spec]
    }
    expect(await next()).toEqual(["ADDED", "v2", "a", { width: 1 }])
    for (const size of [2, 3, 4]) await client.patch(kettle("a", "v1"), { spec: { size } })
    await create("b", "v2", { width: 9 })
    await client.delete(kettle("a", "v1"))
    expect([await next(), await next(), await next(), await next(), await next()]).toEqual([
      ["MODIFIED", "v2", "a", { width: 2 }],
      ["MODIFIED", "v2", "a", { width: 3 }],
      ["MODIFIED", "v2", "a", { width: 4 }],
      ["ADDED", "v2", "b", { width: 9 }],
      ["DELETED", "v2", "a", { width: 4 }],
    ])
    await watch.return?.()
  })

  it("delivers an event after those before it, even if it is converted first", async () => {
    await define()
    await create("a", "v1", { size: 1 })
    const watch = client.watch(kettles("v2"))[Symbol.asyncIterator]()
    expect((await watch.next()).value).toMatchObject({ type: "ADDED" })
    calls()
    let release = (): void => {}
    hook.hold = new Promise((resolve) => {
      release = resolve
    })
    await client.patch(kettle("a", "v1"), { spec: { size: 2 } })
    await expect.poll(() => hook.calls.length).toBe(1)
    await client.patch(kettle("a", "v1"), { spec: { size: 3 } })
    expect(await client.get(kettle("a", "v2"))).toMatchObject({ spec: { width: 3 } })
    release()
    expect((await watch.next()).value).toMatchObject({ object: { spec: { width: 2 } } })
    expect((await watch.next()).value).toMatchObject({ object: { spec: { width: 3 } } })
    await watch.return?.()
  })

  it("ends a watch whose event cannot be converted, and answers 500 to a read", async () => {
    await define()
    await create("a", "v1", { size: 1 })
    const watch = client.watch(kettles("v2"))[Symbol.asyncIterator]()
    expect((await watch.next()).value).toMatchObject({ type: "ADDED" })
    hook.isBroken = true
    await client.patch(kettle("a", "v1"), { spec: { size: 2 } })
    const text = `conversion webhook for ${group}/v1, Kind=Kettle failed: an error on the server ("broken") has prevented the request from succeeding`
    await expect(watch.next()).rejects.toMatchObject({ code: 500, message: text })
    await expect(client.get(kettle("a", "v2"))).rejects.toMatchObject({ code: 500, message: text })
    await expect(client.list(kettles("v2"))).rejects.toMatchObject({ code: 500, message: text })
    await expect(create("b", "v2", { width: 1 })).rejects.toMatchObject({ code: 500 })
    await expect(client.patch(kettle("a", "v2"), { spec: { note: "x" } })).rejects.toMatchObject({ code: 500 })
    await expect(client.delete(kettle("a", "v2"))).rejects.toMatchObject({ code: 500 })
    // Nothing was stored, and the stored version needs no hook.
    expect(specs((await client.list(kettles("v1"))).items)).toEqual([["v1", "a", { size: 2 }]])
    await client.delete(kettle("a", "v1"))
    const metrics = await metricsText()
    const versions = 'crd_name="kettles.kitchen.example.com",from_version="v1",to_version="v2"'
    expect(metrics).toContain(`apiserver_crd_conversion_webhook_duration_seconds_count{${versions},succeeded="true"}`)
    expect(metrics).toContain(`apiserver_crd_conversion_webhook_duration_seconds_bucket{${versions},succeeded="false",le="0.001"}`)
    expect(metrics).toContain('request_total{result="failure",failure_type="conversion_webhook_call_failure"}')
  })

  it("answers faults of the hook with their text, and leaves no request and no connection behind", async () => {
    await define()
    await create("a", "v1", { size: 1 })
    const faults: readonly (readonly [Fault, string])[] = [
      [(response) => response.destroy(), "EOF"],
      [(response) => response.end("{"), "json parse error"],
      [
        (response) => response.end(JSON.stringify({ apiVersion: "apiextensions.orch.io/v1", kind: "ConversionReview" })),
        "no response provided",
      ],
      [endless, "the response has more than 16777216 bytes"],
    ]
    for (const [fault, text] of faults) {
      hook.fault = fault
      await expect(client.get(kettle("a", "v2"))).rejects.toMatchObject({ code: 500, message: expect.stringContaining(text) })
    }
    hook.fault = undefined
    let release = (): void => {}
    hook.hold = new Promise((resolve) => {
      release = resolve
    })
    const leaving = new AbortController()
    const left = expect(client.get(kettle("a", "v2"), { signal: leaving.signal })).rejects.toThrow("the caller left")
    await expect.poll(() => hook.calls.length).toBe(1)
    leaving.abort(new Error("the caller left"))
    await left
    release()
    // The call goes on for readers that arrive meanwhile.
    expect((await client.get(kettle("a", "v2"))).spec).toEqual({ width: 1 })
    expect(calls()).toEqual(["v2: a"])
    await expect.poll(() => new Promise((resolve) => listener.getConnections((_error, count) => resolve(count)))).toBeLessThanOrEqual(1)
  })

  it("stores nothing that cannot be converted back, and nothing of a dry run", async () => {
    await define()
    hook.change = (converted, desired) => {
      if (desired.endsWith("v2")) converted["kind"] = "Other"
    }
    await expect(create("a", "v2", { width: 1 })).rejects.toThrow("invalid kind (expected Kettle, received Other)")
    hook.change = () => {}
    const tried = await client.create(kettles("v2"), object("a", "v2", { width: 1 }), { dryRun: true })
    expect(tried.spec).toEqual({ width: 1 })
    expect((await client.list(kettles("v1"))).items).toEqual([])
  })

  it("reads objects that earlier storage versions wrote, and rewrites them on a write that changes nothing", async () => {
    await define()
    await create("a", "v1", { size: 1 })
    await define({ stored: "v2" })
    await create("b", "v1", { size: 2 })
    calls()
    expect(specs((await client.list(kettles("v2"))).items)).toEqual([
      ["v2", "a", { width: 1 }],
      ["v2", "b", { width: 2 }],
    ])
    expect(calls()).toEqual(["v2: a"])
    expect(specs((await client.list(kettles("v1"))).items)).toEqual([
      ["v1", "a", { size: 1 }],
      ["v1", "b", { size: 2 }],
    ])
    expect(calls()).toEqual(["v1: b"])
    const old = await client.get(kettle("a", "v1"))
    const rewritten = await client.update(kettle("a", "v1"), old)
    expect(rewritten.metadata?.resourceVersion).not.toBe(old.metadata?.resourceVersion)
    calls()
    await client.list(kettles("v2"))
    expect(calls()).toEqual([])
    const again = await client.update(kettle("a", "v1"), rewritten)
    expect(again.metadata?.resourceVersion).toBe(rewritten.metadata?.resourceVersion)
  })

  it("shows long lists in one version while objects are migrated, whatever part of them is stored in it", async () => {
    await define()
    const names = Array.from({ length: 120 }, (_, index) => `k${String(index).padStart(3, "0")}`)
    // Parts of a list that are cached together are in one version, or in another, or in both.
    const parts = [names.slice(0, 50), names.slice(50, 70).filter((_, index) => index % 2 === 0)].flat()
    await Promise.all(parts.map((name) => create(name, "v1", { size: 1 })))
    await define({ stored: "v2" })
    await Promise.all(names.filter((name) => !parts.includes(name)).map((name) => create(name, "v1", { size: 1 })))
    // Three times: encodings of a part are kept from the second list on.
    for (const version of ["v1", "v2", "v1", "v2", "v1", "v2"]) {
      const spec = version === "v1" ? { size: 1 } : { width: 1 }
      const whole = await client.list(kettles(version))
      expect(specs(whole.items)).toEqual(names.map((name) => [version, name, spec]))
      const page = await client.list(kettles(version), { limit: 80 })
      const rest = await client.list(kettles(version), { limit: 80, continue: page.metadata.continue ?? "" })
      expect(specs([...page.items, ...rest.items])).toEqual(specs(whole.items))
    }
  })

  it("compares managed fields in the version in which a manager wrote", async () => {
    await define()
    await client.apply(kettle("a", "v2"), object("a", "v2", { width: 3, note: "two" }), { fieldManager: "two" })
    const applied = client.apply(kettle("a", "v1"), object("a", "v1", { size: 4 }), { fieldManager: "one" })
    await expect(applied).rejects.toMatchObject({ code: 409, details: { causes: [{ field: ".spec.width" }] } })
    const forced = await client.apply(kettle("a", "v1"), object("a", "v1", { size: 4 }), { fieldManager: "one", force: true })
    expect(forced.spec).toEqual({ size: 4, note: "two" })
    const owners = (forced.metadata?.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])
    // The reference orders them by time, which has whole seconds.
    expect(owners.sort()).toEqual([
      ["one", `${group}/v1`, { "f:spec": { "f:size": {} } }],
      ["two", `${group}/v2`, { "f:spec": { "f:note": {} } }],
    ])
    const dropped = await client.apply(kettle("a", "v1"), object("a", "v1", {}), { fieldManager: "two" })
    expect(dropped.spec).toEqual({ size: 4 })
  })
})

describe("with strategy None", () => {
  it("loses what the other version does not have, as the reference does", async () => {
    await define({ none: true })
    await create("a", "v1", { size: 1, note: "x" })
    expect(specs([await client.get(kettle("a", "v2"))])).toEqual([["v2", "a", { note: "x" }]])
    await client.patch(kettle("a", "v2"), { spec: { width: 2 } })
    expect(specs([await client.get(kettle("a", "v1"))])).toEqual([["v1", "a", { note: "x" }]])
    expect(calls()).toEqual([])
  })

  it("reads an object in the version in which it is stored without a loss when another one is stored now", async () => {
    await define({ none: true })
    await create("a", "v1", { size: 1, note: "x" })
    await define({ none: true, stored: "v2" })
    expect(specs([await client.get(kettle("a", "v1"))])).toEqual([["v1", "a", { size: 1, note: "x" }]])
    expect(specs([await client.get(kettle("a", "v2"))])).toEqual([["v2", "a", { note: "x" }]])
  })

  it("rewrites objects of an earlier storage version on a write that changes nothing", async () => {
    await define({ none: true })
    await create("a", "v1", { note: "x" })
    await define({ none: true, stored: "v2" })
    const old = await client.get(kettle("a", "v2"))
    expect(old.spec).toEqual({ note: "x" })
    const rewritten = await client.update(kettle("a", "v2"), old)
    expect(rewritten.metadata?.resourceVersion).not.toBe(old.metadata?.resourceVersion)
    const again = await client.update(kettle("a", "v2"), rewritten)
    expect(again.metadata?.resourceVersion).toBe(rewritten.metadata?.resourceVersion)
  })
})
