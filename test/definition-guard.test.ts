/** A custom object is written under the definition that decoded it, or decoded again: on one server and on two. */
import { afterEach, describe, expect, it } from "vitest"
import type { AdmissionPlugin } from "../runtime/admission/plugin.ts"
import type { ApiObject } from "../runtime/base/json.ts"
import type { StoreListOptions } from "../runtime/storage/store.ts"
import type { ManualClock } from "./contract/manual-clock.ts"
import { createHttpClient } from "./support/http-client.ts"
import { gate } from "./support/gate.ts"
import type { InProcess } from "./support/in-process.ts"
import { changeDefinition, eventually, KettleServers, kindIsServed, storedKettles } from "./support/kettle-servers.ts"
import { definition, definitions, group, kettle, kettles, name } from "./support/kettles.ts"

const colour = { colour: { type: "string" } }

const servers = new KettleServers()
afterEach(() => servers.stop())

describe("a write on a server that is behind", () => {
  it("keeps a field that another server's definition has", async () => {
    const { one, other, late, store } = await servers.startPair()
    late.hold()
    await changeDefinition(one, definition(colour))
    const writing = other.create(kettles, kettle({ colour: "red" }))
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    expect(await writing).toMatchObject({ spec: { litres: 1, colour: "red" } })
    expect(await storedKettles(store)).toMatchObject([{ spec: { litres: 1, colour: "red" } }])
  })

  it("changes an object under the new definition as well", async () => {
    const { one, other, late, store } = await servers.startPair()
    await one.create(kettles, kettle())
    const place = { ...kettles, name: "one" }
    await eventually(() => other.get(place))
    late.hold()
    await changeDefinition(one, definition(colour))
    const writing = other.patch(place, { spec: { litres: 2, colour: "red" } })
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    expect(await writing).toMatchObject({ spec: { litres: 2, colour: "red" } })
    expect(await storedKettles(store)).toMatchObject([{ spec: { litres: 2, colour: "red" } }])
  })

  it("is not taken for none because the old definition drops its field", async () => {
    const { one, other, late, store } = await servers.startPair()
    await one.create(kettles, kettle())
    const place = { ...kettles, name: "one" }
    await eventually(() => other.get(place))
    late.hold()
    await changeDefinition(one, definition(colour))
    const writing = other.patch(place, { spec: { colour: "red" } })
    late.release()
    expect(await writing).toMatchObject({ spec: { colour: "red" } })
    expect(await storedKettles(store)).toMatchObject([{ spec: { colour: "red" } }])
  })

  it("is not taken for none when the definition changes while it is admitted", async () => {
    const [reached, proceed] = [gate(), gate()]
    let attempts = 0
    const plugin: AdmissionPlugin = {
      name: "Pausing",
      operations: ["UPDATE"],
      async validate({ resource }) {
        // The first attempt uses the cached object, the second one the newest.
        if (resource.resource !== "kettles" || ++attempts !== 2) return
        reached.resolve()
        await proceed.promise
      },
    }
    const { one, other, late, store } = await servers.startPair(definition(), { admission: [plugin] })
    await one.create(kettles, kettle())
    const place = { ...kettles, name: "one" }
    await eventually(() => other.get(place))
    const writing = other.patch(place, { spec: { colour: "red" } })
    await reached.promise
    late.hold()
    await changeDefinition(one, definition(colour))
    proceed.resolve()
    // Nothing is committed: the server first asks for the present definitions.
    await eventually(() => expect(late.asked).toBeGreaterThan(0))
    late.release()
    expect(await writing).toMatchObject({ spec: { colour: "red" } })
    expect(await storedKettles(store)).toMatchObject([{ spec: { colour: "red" } }])
  })

  it("is stored in the version that is stored now", async () => {
    const { one, other, late, store } = await servers.startPair()
    late.hold()
    await changeDefinition(one, definition({}, ["v2", "v1"]))
    const writing = other.create(kettles, kettle())
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    expect(await writing).toMatchObject({ apiVersion: `${group}/v1` })
    expect(await storedKettles(store)).toMatchObject([{ apiVersion: `${group}/v2` }])
  })

  it("does not outlive its definition", async () => {
    const { one, other, late, store } = await servers.startPair()
    late.hold()
    await one.delete({ ...definitions, name })
    await eventually(() => expect(one.get({ ...definitions, name })).rejects.toMatchObject({ code: 404 }))
    const writing = other.create(kettles, kettle())
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    await expect(writing).rejects.toMatchObject({ code: 404 })
    expect(await storedKettles(store)).toEqual([])
  })

  it("is repeated when only the metadata of the definition has changed", async () => {
    const { one, other, late } = await servers.startPair()
    late.hold()
    await one.patch({ ...definitions, name }, { metadata: { labels: { a: "b" } } })
    const writing = other.create(kettles, kettle())
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    expect(await writing).toMatchObject({ spec: { litres: 1 } })
  })
})

describe("a definition that changes while a write is admitted", () => {
  /** Holds back the first creation of a kettle until the test goes on. */
  function pausing(): { plugin: AdmissionPlugin; reached: Promise<void>; proceed: () => void } {
    const [reached, proceed] = [gate(), gate()]
    const plugin: AdmissionPlugin = {
      name: "Pausing",
      operations: ["CREATE"],
      async validate({ resource }) {
        if (resource.resource !== "kettles") return
        reached.resolve()
        await proceed.promise
      },
    }
    return { plugin, reached: reached.promise, proceed: proceed.resolve }
  }

  it.each(["over HTTP", "in process"])("decodes the object again, %s", async (how) => {
    const { plugin, reached, proceed } = pausing()
    const { at, client } = await servers.start({ admission: [plugin] })
    await client.create(definitions, definition())
    await kindIsServed(client)
    const writing = how === "in process" ? client.create(kettles, kettle({ colour: "red" })) : post(at, kettle({ colour: "red" }))
    await reached
    await changeDefinition(client, definition(colour))
    proceed()
    expect(await writing).toMatchObject({ spec: { litres: 1, colour: "red" } })
  })

  it("answers 404 when the definition is gone", async () => {
    const { plugin, reached, proceed } = pausing()
    const { at, client } = await servers.start({ admission: [plugin] })
    await client.create(definitions, definition())
    await kindIsServed(client)
    const writing = post(at, kettle())
    await reached
    await client.delete({ ...definitions, name })
    // The change of the definition waits for creations in flight.
    await eventually(async () => expect(JSON.stringify(await client.get({ ...definitions, name }))).toContain("InstanceDeletionInProgress"))
    proceed()
    expect(await writing).toMatchObject({ code: 405 })
    await eventually(() => expect(client.get({ ...definitions, name })).rejects.toMatchObject({ code: 404 }))
    expect(await storedKettles(at.store)).toEqual([])
  })
})

async function post({ port, authority, token }: InProcess, object: ApiObject): Promise<ApiObject> {
  const client = createHttpClient({ protocol: "http2", port, authority })
  const { body } = await client.send({
    method: "POST",
    path: `/apis/${group}/v1/namespaces/default/kettles`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(object)),
  })
  client.close()
  return JSON.parse(body.toString())
}

it("a kind that is not known yet is answered with 503 while the definitions are read", async () => {
  const held = gate()
  let clock: ManualClock | undefined
  // The start waits for a limited time only.
  const passing = setInterval(() => clock?.advance(1000))
  const { at } = await servers.start({
    wrapStore(store, itsClock) {
      clock = itsClock
      return new Proxy(store, {
        get: (target, property) =>
          property === "list"
            ? async (options: StoreListOptions) => {
                if (options.prefix.endsWith("/customresourcedefinitions/")) await held.promise
                return target.list(options)
              }
            : Reflect.get(target, property, target),
      })
    },
  })
  clearInterval(passing)
  const client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
  const ask = async (path: string): Promise<[number, string | undefined]> => {
    const { status, headers } = await client.send({ method: "GET", path, headers: { authorization: `Bearer ${at.token}` } })
    const after = headers["retry-after"]
    return [status, after === undefined ? undefined : String(after)]
  }
  const paths = [`/apis/${group}`, `/apis/${group}/v1`, `/apis/${group}/v1/kettles`, "/api/v1/kettles"]
  for (const path of paths) expect(await ask(path)).toEqual([503, "1"])
  expect(await ask("/api/v1/namespaces")).toEqual([200, undefined])
  held.resolve()
  for (const path of paths) await eventually(async () => expect(await ask(path)).toEqual([404, undefined]))
  client.close()
})
