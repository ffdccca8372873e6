import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ConfigMap } from "../../generated/core/v1/config-map/types.ts"
import { type LibraryServer, startServer } from "../library.ts"
import type { WatchEvent } from "../schema/object-client.ts"
import { alwaysDeny } from "../authz/authorize.ts"
import { launch } from "../launch/launch.ts"
import { systemClock } from "../base/clock.ts"
import { systemRandom } from "../base/random.ts"
import { silentLog } from "../launch/logging.ts"
import { defaultOptions } from "../options/load.ts"
import { inProcessClient } from "./in-process-client.ts"

let server: LibraryServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  await server.stop()
})

const maps = (): LibraryServer["api"]["core"]["v1"]["configmaps"] => server.api.core.v1.configmaps

describe("writes", () => {
  it("neither change nor keep what they are given, and give what the caller may change", async () => {
    const data = { a: "1" }
    const given = { metadata: { name: "own", labels: { x: "y" } }, data }
    const made = await maps().create("default", given)
    expect(given).toEqual({ metadata: { name: "own", labels: { x: "y" } }, data: { a: "1" } })
    data.a = "2"
    for (const entry of made.metadata.managedFields ?? []) delete entry.fieldsV1
    const changed = await maps().patch("default", "own", { data: { b: "2" } })
    for (const entry of changed.metadata.managedFields ?? []) delete entry.fieldsV1
    const found = await maps().get("default", "own")
    expect(found.data).toEqual({ a: "1", b: "2" })
    expect(found.metadata.managedFields).toEqual([expect.objectContaining({ manager: "orch-apiserver", fieldsV1: expect.anything() })])
  })

  it("refuse what JSON cannot hold, with its place", async () => {
    const place = { group: "", version: "v1", resource: "configmaps", namespace: "default" }
    const create = (data: unknown) => server.client.create(place, { metadata: { name: "no" }, data })
    await expect(create({ at: new Date(0) })).rejects.toMatchObject({ code: 400, message: "data.at: a Date is no JSON value" })
    await expect(create([Number.NaN])).rejects.toMatchObject({ code: 400, message: "data[0]: NaN is no JSON value" })
    await expect(create({ run: () => {} })).rejects.toThrow("data.run: a function is no JSON value")
    const circle: Record<string, unknown> = {}
    circle.self = circle
    await expect(create(circle)).rejects.toThrow("contains itself")
    await expect(create({ gone: undefined, here: "1" })).resolves.toMatchObject({ data: { here: "1" } })
  })

  it("refuse unknown fields unless the caller asks to be warned", async () => {
    const object = Object.assign({ metadata: { name: "unknown" } }, { dataa: {} })
    await expect(maps().create("default", object)).rejects.toThrow('unknown field "dataa"')
    const warnings: string[] = []
    await maps().create("default", object, { fieldValidation: "Warn", warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(['unknown field "dataa"'])
  })

  it("conflict at an old version, and on fields that another manager applied", async () => {
    const made = await maps().create("default", { metadata: { name: "busy" } })
    await maps().update("default", { ...made, data: { a: "1" } })
    await expect(maps().update("default", { ...made, data: { a: "2" } })).rejects.toMatchObject({ code: 409, reason: "Conflict" })
    const applied = { metadata: { name: "busy" }, data: { a: "3" } }
    await expect(maps().apply("default", applied, { fieldManager: "me" })).rejects.toMatchObject({ code: 409 })
    const forced = await maps().apply("default", applied, { fieldManager: "me", force: true })
    expect(forced.data).toEqual({ a: "3" })
  })

  it("have the stack of their caller in errors", async () => {
    const error: unknown = await maps()
      .get("default", "nothing")
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 404, reason: "NotFound", stack: expect.stringContaining("in-process-client") })
  })

  it("end with the reason of an aborted signal", async () => {
    const reason = new Error("enough")
    await expect(maps().list("default", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe("users", () => {
  it("are authorized", async () => {
    const options = { ...defaultOptions(), "bind-address": "127.0.0.1", store: "memory" as const }
    const how = { options, clock: systemClock, random: systemRandom, log: silentLog(), transient: true, port: 0 }
    const { server: running, client } = await launch(how)
    const parts = { ...running.parts, authorizers: [alwaysDeny] }
    const jane = inProcessClient(parts, { name: "jane", groups: [], extra: {} })
    const place = { group: "", version: "v1", resource: "nodes", namespace: "" }
    await expect(jane.list(place)).rejects.toMatchObject({ code: 403, message: expect.stringContaining('User "jane" cannot list') })
    await expect(async () => {
      for await (const _event of jane.watch(place)) break
    }).rejects.toMatchObject({ code: 403 })
    await expect(client.list({ ...place, resource: "noodles" })).rejects.toMatchObject({ code: 404 })
    await expect(client.delete({ ...place, resource: "bindings", namespace: "default", name: "x" })).rejects.toMatchObject({ code: 405 })
    await running.stop()
    await expect(client.list(place)).rejects.toMatchObject({ code: 503 })
  })
})

describe("watches", () => {
  async function take(events: AsyncIterable<WatchEvent<ConfigMap>>, count: number): Promise<string[]> {
    const seen: string[] = []
    for await (const { type, object } of events) {
      seen.push(`${type} ${object.metadata.name}`)
      if (seen.length === count) break
    }
    return seen
  }

  it("begin with the state, resume after a version, and apply selectors", async () => {
    const [labels, selected] = [{ of: "watch" }, { labelSelector: "of=watch" }]
    for (const name of ["w1", "w2"]) await maps().create("default", { metadata: { name, labels } })
    expect(await take(maps().watch("default", selected), 2)).toEqual(["ADDED w1", "ADDED w2"])
    const { resourceVersion } = (await maps().list("default")).metadata
    await maps().patch("default", "w1", { data: { a: "1" } })
    await maps().patch("default", "w2", { metadata: { labels: { of: null } } })
    await maps().delete("default", "w1")
    const resumed = maps().watch("default", { ...selected, resourceVersion })
    expect(await take(resumed, 3)).toEqual(["MODIFIED w1", "DELETED w2", "DELETED w1"])
    expect(await take(resumed, 1)).toEqual(["MODIFIED w1"])
  })

  it("end when their signal is aborted, or their time is over", async () => {
    const controller = new AbortController()
    const events = maps().watch("kube", { signal: controller.signal })[Symbol.asyncIterator]()
    const next = events.next()
    controller.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(await take(maps().watch("empty", { timeoutSeconds: 0.05 }), 1)).toEqual([])
  })

  it("lose nothing when the program is slower than the server", async () => {
    const data = { big: "x".repeat(200_000) }
    const events = maps()
      .watch("slow", { resourceVersion: (await maps().list("slow")).metadata.resourceVersion })
      [Symbol.asyncIterator]()
    await server.api.core.v1.namespaces.create({ metadata: { name: "slow" } })
    const first = events.next()
    const names = Array.from({ length: 80 }, (_value, index) => `m${index}`)
    for (const name of names) await maps().create("slow", { metadata: { name }, data })
    const seen = [(await first).value?.object.metadata.name]
    while (seen.length < names.length) seen.push((await events.next()).value?.object.metadata.name)
    expect(seen.filter((name) => name?.startsWith("m"))).toEqual(names.slice(0, seen.length))
    await events.return?.()
  })
})
