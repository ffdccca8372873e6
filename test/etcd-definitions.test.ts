/** Two servers on a real etcd, and a definition that changes while objects of its kind are written and watched. */
import { beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { ApiError } from "../runtime/base/errors.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import type { ObjectClient } from "../runtime/schema/object-client.ts"
import { type EtcdServer, forEachEtcd, startEtcd } from "./support/etcd.ts"
import { startTestServer } from "./support/server.ts"
import { definition, definitions, group, kettles, name } from "./support/kettles.ts"

const writersPerServer = 4
const writesEach = 25
const changes = 20

const eventually = <Result>(ask: () => Result | Promise<Result>): Promise<Result> => vi.waitFor(ask, { timeout: 20_000, interval: 10 })

/** The definition after a number of changes: another field, and another order of versions. The first is stored. */
function changed(turn: number): ApiObject {
  const versions = turn % 2 === 0 ? ["v1", "v2"] : ["v2", "v1"]
  return definition({ turn: { type: "integer" }, [`since-${turn}`]: { type: "string", default: "here" } }, versions)
}

/** Repeats a write that a server refuses because it does not know the newest definition yet. */
async function untilTaken<Result>(write: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 503) throw error
    }
  }
}

/** Writes the object's states one after the other; resolves after the last. */
async function writeObject(client: ObjectClient, object: string): Promise<void> {
  const spec = (turn: number): JsonObject => ({ spec: { turn } })
  const first = { apiVersion: `${group}/v1`, kind: "Kettle", metadata: { name: object }, ...spec(0) }
  await untilTaken(() => client.create(kettles, first))
  for (let turn = 1; turn < writesEach; turn++) await untilTaken(() => client.patch({ ...kettles, name: object }, spec(turn)))
}

interface Watch {
  readonly resourceVersion: string
  /** Events to wait for. */
  readonly count: number
  readonly signal: AbortSignal
}

/** The states of each object that a watch shows. It resumes where it ended. */
async function watched(client: ObjectClient, { resourceVersion, count, signal }: Watch): Promise<Map<string, number[]>> {
  const seen = new Map<string, number[]>()
  let last = resourceVersion
  let events = 0
  while (events < count && !signal.aborted) {
    for await (const { object } of client.watch(kettles, { resourceVersion: last, signal })) {
      const { metadata = {}, spec } = object
      last = metadata.resourceVersion ?? ""
      const { turn } = spec as { turn: number } // As the schema says.
      seen.set(metadata.name ?? "", [...(seen.get(metadata.name ?? "") ?? []), turn])
      if (++events >= count) break
    }
  }
  return seen
}

forEachEtcd((binary) => {
  let etcd: EtcdServer
  beforeAll(async () => {
    etcd = await startEtcd(binary)
    return () => etcd.dispose()
  })

  test(`etcd ${binary.version}: no write and no event is lost while a definition changes at two servers`, async () => {
    const servers = [await startTestServer({ "store-servers": [etcd.url] }), await startTestServer({ "store-servers": [etcd.url] })]
    const clients = servers.map(({ client }) => client)
    const [one, other] = [clients[0] ?? expect.fail(), clients[1] ?? expect.fail()]
    await one.create(definitions, changed(0))
    const { metadata } = await eventually(() => one.list(kettles))
    await eventually(() => other.list(kettles))

    const objects = clients.flatMap((client, server) =>
      Array.from({ length: writersPerServer }, (_, writer) => ({ client, object: `of-${server}-${writer}` })),
    )
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const count = objects.length * writesEach
    const watching = clients.map((client) =>
      watched(client, { resourceVersion: metadata.resourceVersion ?? "", count, signal: stop.signal }),
    )
    const writing = Promise.all(objects.map(({ client, object }) => writeObject(client, object)))
    for (let turn = 1; turn <= changes; turn++) {
      const at = clients[turn % 2] ?? expect.fail()
      await at.apply({ ...definitions, name }, changed(turn), { fieldManager: "churn", force: true })
    }
    await writing

    const states = Array.from({ length: writesEach }, (_, turn) => turn)
    const expected = new Map(objects.map(({ object }) => [object, states]))
    for (const seen of await Promise.all(watching)) expect(seen).toEqual(expected)
    const newest = objects.map(() => ({ turn: writesEach - 1, [`since-${changes}`]: "here" }))
    for (const client of clients)
      await eventually(async () => expect((await client.list(kettles)).items.map(({ spec }) => spec)).toEqual(newest))
  })
})
