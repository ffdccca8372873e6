/** Whole servers on a real etcd: a restart, two servers at once, and an etcd that fails. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../runtime/base/clock.ts"
import { type Connection, connectEtcd } from "../runtime/storage/etcd/connection.ts"
import { embedded, identifier, int64, message } from "../runtime/encoding/protobuf/message.ts"
import { alarmType, statusCall, txnCall } from "../runtime/storage/etcd/protocol.ts"
import { countKeys } from "../runtime/storage/etcd/ranges.ts"
import { until } from "./contract/store-fixture.ts"
import { type EtcdServer, forEachEtcd, forNewestEtcd, startEtcd, startEtcdCluster } from "./support/etcd.ts"
import { createHttpClient, type HttpAnswer } from "./support/http-client.ts"
import { startTestServer, type TestServer } from "./support/server.ts"

const collection = "/api/v1/namespaces/default/configmaps"

interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly { readonly metadata: { readonly name: string; readonly resourceVersion: string } }[]
}

const named = (name: string, data = "{}"): string => `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"${name}"},"data":${data}}`

function parsed<T>({ body }: HttpAnswer): T {
  const answer: T = JSON.parse(body.toString())
  return answer
}

/** The names in the first `count` ADDED events after a version. */
async function eventsUntil(server: TestServer, resourceVersion: string, count: number): Promise<string[]> {
  const client = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
  const { body } = await client.open({
    method: "GET",
    path: `${collection}?watch=1&resourceVersion=${resourceVersion}`,
    headers: { authorization: `Bearer ${server.token}` },
  })
  const seen: string[] = []
  let text = ""
  for await (const piece of body) {
    const lines = (text + String(piece)).split("\n")
    text = lines.pop() ?? ""
    for (const line of lines) {
      const { object, type }: { type: string; object: { metadata: { name: string } } } = JSON.parse(line)
      expect(type).toBe("ADDED")
      seen.push(object.metadata.name)
    }
    if (seen.length >= count) break
  }
  client.close()
  return seen
}

async function names(server: TestServer, query = ""): Promise<string[]> {
  const answer = await server.request("GET", `${collection}${query}`)
  expect(answer.status).toBe(200)
  return parsed<ListAnswer>(answer).items.map(({ metadata }) => metadata.name)
}

/** Watches from a version and returns the first line. */
async function firstEvent(server: TestServer, resourceVersion: string): Promise<{ type: string; object: { metadata: { name: string } } }> {
  const client = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
  const { body } = await client.open({
    method: "GET",
    path: `${collection}?watch=1&resourceVersion=${resourceVersion}`,
    headers: { authorization: `Bearer ${server.token}` },
  })
  let text = ""
  for await (const piece of body) {
    text += String(piece)
    if (text.includes("\n")) break
  }
  client.close()
  return JSON.parse(text.slice(0, text.indexOf("\n")))
}

forEachEtcd((binary) => {
  describe(`servers on etcd ${binary.version}`, () => {
    let etcd: EtcdServer
    let direct: Connection
    const start = (): Promise<TestServer> => startTestServer({ "store-servers": [etcd.url] })

    beforeAll(async () => {
      etcd = await startEtcd(binary)
      direct = connectEtcd({ servers: [etcd.url] }, systemClock)
    })
    afterAll(async () => {
      direct.close()
      await etcd.dispose()
    })

    /** Writes a key that no watch of a server receives. */
    const writeElsewhere = (): Promise<unknown> => direct.call(txnCall, { success: [{ put: { key: "elsewhere" } }] })

    test("a write to one server is visible on the other at once", async () => {
      const [one, other] = [await start(), await start()]
      for (let index = 0; index < 20; index++) {
        const [writer, reader] = index % 2 === 0 ? [one, other] : [other, one]
        expect((await writer.request("POST", collection, named(`shown-${index}`))).status).toBe(201)
        expect((await reader.request("GET", `${collection}/shown-${index}`)).status).toBe(200)
        expect(await names(reader)).toContain(`shown-${index}`)
        expect((await reader.request("DELETE", `${collection}/shown-${index}`)).status).toBe(200)
        expect((await writer.request("GET", `${collection}/shown-${index}`)).status).toBe(404)
      }
    })

    test("a client may list from one, page and watch from the other", async () => {
      const [one, other] = [await start(), await start()]
      for (const name of ["page-a", "page-b", "page-c"]) await one.request("POST", collection, named(name))
      const first = parsed<ListAnswer>(await one.request("GET", `${collection}?limit=2`))
      const rest = await other.request("GET", `${collection}?limit=50&continue=${first.metadata.continue}`)
      expect(rest.status).toBe(200)
      const all = [...first.items, ...parsed<ListAnswer>(rest).items].map(({ metadata }) => metadata.name)
      expect(all).toEqual(await names(one))
      const { metadata } = parsed<ListAnswer>(await one.request("GET", collection))
      const event = firstEvent(other, metadata.resourceVersion)
      await one.request("POST", collection, named("watched"))
      expect(await event).toMatchObject({ type: "ADDED", object: { metadata: { name: "watched" } } })
    })

    test("a namespace created on one server accepts objects on the other", async () => {
      const [one, other] = [await start(), await start()]
      for (let index = 0; index < 5; index++) {
        const namespace = `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"made-${index}"}}`
        expect((await one.request("POST", "/api/v1/namespaces", namespace)).status).toBe(201)
        expect((await other.request("POST", `/api/v1/namespaces/made-${index}/configmaps`, named("a"))).status).toBe(201)
      }
    })

    test("updates at both servers lose nothing", async () => {
      const servers = [await start(), await start()]
      await servers[0]?.request("POST", collection, named("counter", '{"n":"0"}'))
      async function increment(server: TestServer): Promise<void> {
        const read = await server.request("GET", `${collection}/counter`)
        const object = parsed<{ data: { n: string } }>(read)
        const next = { ...object, data: { n: String(Number(object.data.n) + 1) } }
        const { status } = await server.request("PUT", `${collection}/counter`, JSON.stringify(next))
        if (status === 409) return increment(server)
        expect(status).toBe(200)
      }
      await Promise.all(Array.from({ length: 20 }, (_, index) => increment(servers[index % 2] ?? expect.fail("two servers"))))
      const counter = await servers[1]?.request("GET", `${collection}/counter`)
      expect(counter?.body.toString()).toContain('"data":{"n":"20"}')
    })

    test("reads and writes are current although others write keys that are not watched", async () => {
      const server = await start()
      await server.request("POST", collection, named("current", '{"n":"0"}'))
      for (let index = 1; index <= 5; index++) {
        await writeElsewhere()
        expect((await server.request("GET", `${collection}/current`)).body.toString()).toContain(`{"n":"${index - 1}"}`)
        await writeElsewhere()
        expect(await names(server)).toContain("current")
        await writeElsewhere()
        expect((await server.request("PUT", `${collection}/current`, named("current", `{"n":"${index}"}`))).status).toBe(200)
      }
    })

    test("a restarted server continues from the same state", async () => {
      const before = await start()
      const made = await before.request("POST", collection, named("kept"))
      const { metadata } = parsed<{ metadata: { resourceVersion: string } }>(made)
      await before.request("DELETE", `${collection}/kept`)
      await before.stop()
      const after = await start()
      expect(await firstEvent(after, metadata.resourceVersion)).toMatchObject({ type: "DELETED", object: { metadata: { name: "kept" } } })
      expect((await after.request("GET", `${collection}/kept`)).status).toBe(404)
    })

    test("a resource may be kept in another etcd", async () => {
      const second = await startEtcd(binary)
      onTestFinished(() => second.dispose())
      const other = connectEtcd({ servers: [second.url] }, systemClock)
      onTestFinished(() => other.close())
      const options = {
        "store-servers": [etcd.url],
        "store-servers-overrides": [{ group: "", resource: "configmaps", servers: [second.url] }],
      }
      const before = await startTestServer(options)
      expect((await before.request("POST", collection, named("apart"))).status).toBe(201)
      const secrets = "/api/v1/namespaces/default/secrets"
      expect((await before.request("POST", secrets, '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"main"}}')).status).toBe(201)
      expect(await countKeys(other, "/registry/configmaps/default/")).toBe(1)
      expect(await countKeys(other, "/registry/secrets/")).toBe(0)
      expect(await countKeys(direct, "/registry/secrets/default/")).toBe(1)
      // The revisions of the two are unrelated.
      const { metadata } = parsed<ListAnswer>(await before.request("GET", collection))
      const event = firstEvent(before, metadata.resourceVersion)
      expect((await before.request("PUT", `${collection}/apart`, named("apart", '{"n":"1"}'))).status).toBe(200)
      expect(await event).toMatchObject({ type: "MODIFIED", object: { metadata: { name: "apart" } } })
      await before.stop()
      const after = await startTestServer(options)
      expect(await names(after)).toEqual(["apart"])
      expect((await after.request("GET", `${secrets}/main`)).status).toBe(200)
    })

    test("an etcd without space is reported, reads continue, and writes do when there is space again", async () => {
      const server = await start()
      await server.request("POST", collection, named("before"))
      await alarm(direct, "raise")
      const refused = await server.request("POST", collection, named("full"))
      expect(refused.status).toBe(503)
      expect(refused.headers["retry-after"]).toBe("1")
      expect(refused.body.toString()).toContain("NOSPACE")
      expect((await server.request("GET", "/readyz/etcd")).body.toString()).toContain("NOSPACE")
      expect(await names(server)).toContain("before")
      expect((await server.request("GET", `${collection}/before`)).status).toBe(200)
      await alarm(direct, "clear")
      expect((await server.request("POST", collection, named("space"))).status).toBe(201)
      // The result of a probe is cached for a moment.
      await until(async () => (await server.request("GET", "/readyz/etcd")).status === 200)
    })

    test("a killed etcd is reported, and used again when it is back", async () => {
      const server = await start()
      await server.request("POST", collection, named("survives"))
      const { metadata } = parsed<ListAnswer>(await server.request("GET", collection))
      await etcd.kill("SIGKILL")
      // A write that is sent before the end of the connection is seen has an unknown outcome.
      await until(async () => (await server.request("GET", "/readyz/etcd")).status === 500)
      for (const answer of [await server.request("POST", collection, named("lost")), await server.request("GET", collection)]) {
        expect(answer.status).toBe(503)
        expect(answer.headers["retry-after"]).toBe("1")
      }
      // Reads that may be stale are served from memory.
      expect(await names(server, "?resourceVersion=0")).toContain("survives")
      await etcd.start()
      await until(async () => (await server.request("GET", "/readyz")).status === 200)
      const event = firstEvent(server, metadata.resourceVersion)
      expect((await server.request("POST", collection, named("again"))).status).toBe(201)
      expect(await event).toMatchObject({ type: "ADDED", object: { metadata: { name: "again" } } })
      expect(await names(server)).toEqual(expect.arrayContaining(["again", "survives"]))
    })
  })
})

forNewestEtcd((binary) => {
  test("a cluster that loses its leader loses no write, and no watch misses one", async () => {
    const members = await startEtcdCluster(binary, 3)
    onTestFinished(async () => {
      await Promise.all(members.map((member) => member.dispose()))
    })
    const server = await startTestServer({ "store-servers": members.map(({ url }) => url) })
    const { metadata } = parsed<ListAnswer>(await server.request("GET", collection))
    const acknowledged: string[] = []
    async function write(name: string): Promise<void> {
      for (;;) {
        const { status } = await server.request("POST", collection, named(name))
        // 409: an earlier attempt that got an error did happen.
        if (status === 201 || status === 409) break
        expect([500, 503, 504]).toContain(status)
      }
      acknowledged.push(name)
    }
    for (let index = 0; index < 20; index++) await write(`before-${index}`)
    const leader = await leaderOf(members)
    const writing = Promise.all(Array.from({ length: 40 }, (_, index) => write(`during-${String(index).padStart(2, "0")}`)))
    await leader.kill("SIGKILL")
    await writing
    expect((await names(server)).toSorted()).toEqual(acknowledged.toSorted())
    const seen = await eventsUntil(server, metadata.resourceVersion, acknowledged.length)
    expect(seen.toSorted()).toEqual(acknowledged.toSorted())
  })
})

/** The member that reports to be the leader. */
async function leaderOf(members: readonly EtcdServer[]): Promise<EtcdServer> {
  for (const member of members) {
    const connection = connectEtcd({ servers: [member.url] }, systemClock)
    const answer = await connection.call(memberStatusCall, {})
    connection.close()
    if (answer.leader === answer.header?.memberId) return member
  }
  throw new Error("no member leads")
}

const memberStatusCall = {
  ...statusCall,
  request: message({}),
  response: message({ header: embedded(1, message({ memberId: identifier(2) })), leader: identifier(4) }),
}

/** etcd raises the alarm by itself when its quota is used up; a requested alarm has the same effect. */
async function alarm(direct: Connection, what: "raise" | "clear"): Promise<void> {
  await direct.call(
    {
      path: "/etcdserverpb.Maintenance/Alarm",
      request: message({ action: int64(1), alarm: int64(3) }),
      response: message({}),
      repeatable: false,
    },
    { action: what === "raise" ? 1 : 2, alarm: alarmType.noSpace },
  )
}
