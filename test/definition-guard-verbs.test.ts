/**
 * Every verb that writes a custom object, while its definition changes: the stored object obeys the definition that
 * another server wrote, or that came while the request was admitted.
 */
import { afterEach, describe, expect, it } from "vitest"
import type { AdmissionPlugin } from "../runtime/admission/plugin.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import type { ObjectClient, ObjectPlace } from "../runtime/schema/object-client.ts"
import { createHttpClient } from "./support/http-client.ts"
import { gate } from "./support/gate.ts"
import { httpObjectClient } from "./support/http-object-client.ts"
import { changeDefinition, eventually, KettleServers, kindIsServed, storedKettles } from "./support/kettle-servers.ts"
import { definitions, group, kettle, kettles, name } from "./support/kettles.ts"

const servers = new KettleServers()
afterEach(() => servers.stop())

const integer = { type: "integer" }

/** Both versions have the same schema; the first is stored. */
function definitionOf(versions: readonly string[], { colours, replicas }: { colours: JsonObject; replicas: string }): ApiObject {
  const part = { type: "object", properties: { litres: integer, cups: integer, ...colours } }
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: versions.map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        subresources: { status: {}, scale: { specReplicasPath: replicas, statusReplicasPath: ".status.cups" } },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: part, status: part } } },
      })),
    },
  }
}

/** The later definition has one more field, another storage version, and another path of the number of replicas. */
const earlier = definitionOf(["v1"], { colours: {}, replicas: ".spec.litres" })
const later = definitionOf(["v2", "v1"], { colours: { colour: { type: "string", default: "green" } }, replicas: ".spec.cups" })

const place: ObjectPlace = { ...kettles, name: "one" }
const status: ObjectPlace = { ...place, subresource: "status" }
const scale: ObjectPlace = { ...place, subresource: "scale" }
const scaled: ApiObject = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "one", namespace: "default" },
  spec: { replicas: 5 },
}
const held: ApiObject = { ...kettle(), metadata: { name: "one", finalizers: ["example.com/held"] } }
const red = { apiVersion: `${group}/v2`, spec: { litres: 2, colour: "red" } }
/** An apply of a field that the earlier definition does not have is refused, so the default shows the later one. */
const green = { apiVersion: `${group}/v2`, spec: { litres: 2, colour: "green" } }
const redStatus = { apiVersion: `${group}/v2`, spec: { litres: 1 }, status: { colour: "red" } }
const fiveCups = { apiVersion: `${group}/v2`, spec: { litres: 1, cups: 5 } }
const going = { apiVersion: `${group}/v2`, metadata: { deletionTimestamp: expect.any(String) } }
const applied = { fieldManager: "cook", force: true }

/** A PUT needs the present version; the cache of a server that is behind has it. */
async function put(client: ObjectClient, to: ObjectPlace, object: ApiObject): Promise<unknown> {
  const { metadata } = await client.get(place, { resourceVersion: "0" })
  return client.update(to, { ...object, metadata: { ...object.metadata, resourceVersion: metadata?.resourceVersion ?? "" } })
}

interface WriteCase {
  readonly what: string
  /** Absent: there is no object before the write. */
  readonly before?: ApiObject
  readonly write: (client: ObjectClient) => Promise<unknown>
  /** The stored object in the end. */
  readonly stored: object
  /** The write begins with a consistent read, which waits until the server has caught up. */
  readonly readsFirst?: true
}

const writes: readonly WriteCase[] = [
  { what: "a create", write: (client) => client.create(kettles, kettle({ litres: 2, colour: "red" })), stored: red },
  {
    what: "an apply that creates",
    write: (client) => client.apply(place, kettle({ litres: 2 }), applied),
    stored: green,
    readsFirst: true,
  },
  { what: "a PUT", before: kettle(), write: (client) => put(client, place, kettle({ litres: 2, colour: "red" })), stored: red },
  { what: "a merge patch", before: kettle(), write: (client) => client.patch(place, { spec: { litres: 2, colour: "red" } }), stored: red },
  {
    what: "a JSON patch",
    before: kettle(),
    write: (client) => client.patch(place, [{ op: "add", path: "/spec", value: { litres: 2, colour: "red" } }]),
    stored: red,
  },
  { what: "an apply", before: kettle(), write: (client) => client.apply(place, kettle({ litres: 2 }), applied), stored: green },
  {
    what: "a PUT of the status",
    before: kettle(),
    write: (client) => put(client, status, { ...kettle(), status: { colour: "red" } }),
    stored: redStatus,
  },
  {
    what: "a merge patch of the status",
    before: kettle(),
    write: (client) => client.patch(status, { status: { colour: "red" } }),
    stored: redStatus,
  },
  {
    what: "a JSON patch of the status",
    before: kettle(),
    write: (client) => client.patch(status, [{ op: "add", path: "/status", value: { colour: "red" } }]),
    stored: redStatus,
  },
  {
    what: "an apply of the status",
    before: kettle(),
    write: (client) => client.apply(status, { ...kettle(), status: { cups: 2 } }, applied),
    stored: { apiVersion: `${group}/v2`, status: { cups: 2, colour: "green" } },
  },
  { what: "a PUT of the scale", before: kettle(), write: (client) => put(client, scale, scaled), stored: fiveCups },
  {
    what: "a merge patch of the scale",
    before: kettle(),
    write: (client) => client.patch(scale, { spec: { replicas: 5 } }),
    stored: fiveCups,
  },
  {
    what: "an apply of the scale",
    before: kettle(),
    write: (client) => client.apply(scale, scaled, applied),
    stored: fiveCups,
  },
  { what: "a delete that waits for a finalizer", before: held, write: (client) => client.delete(place), stored: going },
  {
    what: "a deletion of the collection that waits for a finalizer",
    before: held,
    write: (client) => client.deleteCollection(kettles),
    stored: going,
    readsFirst: true,
  },
]

describe("on a server that is behind the other", () => {
  it.each(writes.filter(({ readsFirst }) => readsFirst !== true))(
    "$what is repeated under the definition that is stored",
    async ({ before, write, stored }) => {
      const { one, other, late, store } = await servers.startPair(earlier)
      if (before !== undefined) await one.create(kettles, before)
      await eventually(async () => expect((await other.list(kettles)).items).toHaveLength(before === undefined ? 0 : 1))
      late.hold()
      await changeDefinition(one, later)
      const writing = write(other)
      await eventually(() => expect(late.refused).toBe(1))
      late.release()
      await writing
      expect(await storedKettles(store)).toMatchObject([stored])
    },
  )

  it("a delete that removes an object at once compares no definition", async () => {
    const { one, other, late, store } = await servers.startPair(earlier)
    await one.create(kettles, kettle())
    await eventually(() => other.get(place))
    late.hold()
    await changeDefinition(one, later)
    await other.delete(place)
    expect(late.refused).toBe(0)
    expect(await storedKettles(store)).toEqual([])
  })

  const gone = { code: 404 }
  it.each([
    { what: "a PUT", write: (client: ObjectClient) => put(client, place, kettle({ litres: 2 })) },
    { what: "a merge patch", write: (client: ObjectClient) => client.patch(place, { spec: { litres: 2 } }) },
    { what: "an apply", write: (client: ObjectClient) => client.apply(place, kettle({ litres: 2 }), applied) },
    { what: "a PUT of the scale", write: (client: ObjectClient) => put(client, scale, scaled) },
    { what: "a delete", write: (client: ObjectClient) => client.delete(place) },
  ])("$what is answered with 404 when the definition is gone", async ({ write }) => {
    const { one, other, late, store } = await servers.startPair(earlier)
    await one.create(kettles, kettle())
    await eventually(() => other.get(place))
    late.hold()
    await one.delete({ ...definitions, name })
    await eventually(() => expect(one.get({ ...definitions, name })).rejects.toMatchObject(gone))
    const writing = expect(write(other)).rejects.toMatchObject(gone)
    await eventually(() => expect(late.refused).toBe(1))
    late.release()
    await writing
    expect(await storedKettles(store)).toEqual([])
  })
})

describe("while it is admitted", () => {
  /** Holds back the first write of a kettle until the test goes on. */
  function pausing(): { plugin: AdmissionPlugin; reached: Promise<void>; proceed: () => void; arm: () => void } {
    const [reached, proceed] = [gate(), gate()]
    let isArmed = false
    const plugin: AdmissionPlugin = {
      name: "Pausing",
      operations: ["CREATE", "UPDATE", "DELETE"],
      async validate({ resource }) {
        if (!isArmed || resource.resource !== "kettles") return
        reached.resolve()
        await proceed.promise
      },
    }
    return { plugin, reached: reached.promise, proceed: proceed.resolve, arm: () => (isArmed = true) }
  }

  const cases = writes.flatMap((one) => ["in process", "over HTTP"].map((how) => ({ ...one, how })))
  it.each(cases)("$what $how is repeated under the new definition", async ({ before, write, stored, how }) => {
    const { plugin, reached, proceed, arm } = pausing()
    const { at, client } = await servers.start({ admission: [plugin] })
    await client.create(definitions, earlier)
    await kindIsServed(client)
    if (before !== undefined) await client.create(kettles, before)
    const http = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
    const other = how === "in process" ? client : httpObjectClient(http, { token: at.token, userAgent: "cook/1" })
    arm()
    const writing = write(other)
    await Promise.race([reached, writing])
    await changeDefinition(client, later)
    proceed()
    await writing
    http.close()
    expect(await storedKettles(at.store)).toMatchObject([stored])
  })
})
