import { createServer } from "node:net"
import { ServerCredentials, status } from "@grpc/grpc-js"
import { afterEach, expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { type FakeMember, startFakeMember } from "../../../test/support/fake-etcd-member.ts"
import { inMemoryPair } from "../../launch/certificates.ts"
import { systemClock } from "../../base/clock.ts"
import { type Connection, connectEtcd, RpcError, type ServerStateListener } from "./connection.ts"
import { int64, message } from "../../encoding/protobuf/message.ts"
import { type Call, txnCall } from "./protocol.ts"

const body = message({ number: int64(1) })
const read: Call<{ number?: number }, { number: number }> = { path: "/test.Test/Read", request: body, response: body, repeatable: true }
const write: Call<{ number?: number }, { number: number }> = { ...read, path: "/test.Test/Write", repeatable: false }

const open: { stop?(): void; close?(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) {
    each.close?.()
    each.stop?.()
  }
})

/** A member that answers every call with its port. */
async function endpoint(credentials = ServerCredentials.createInsecure()): Promise<FakeMember> {
  const number = ({ port }: FakeMember): Buffer => body.encode({ number: port })
  const made = await startFakeMember(
    { [read.path]: number, [write.path]: number, [txnCall.path]: () => txnCall.response.encode({}) },
    credentials,
  )
  open.push(made)
  return made
}

function connectTo(...ports: readonly number[]): Connection {
  return connectTelling(() => {}, ...ports)
}

function connectTelling(tell: ServerStateListener, ...ports: readonly number[]): Connection {
  const connection = connectEtcd({ servers: ports.map((port) => `http://127.0.0.1:${port}`) }, createManualClock(), tell)
  open.push(connection)
  return connection
}

/** A port without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}

async function faultOf(call: Promise<unknown>): Promise<number> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof RpcError ? error.fault.code : expect.fail(`no RpcError: ${String(error)}`)
}

test("spreads calls over all endpoints", async () => {
  const endpoints = [await endpoint(), await endpoint(), await endpoint()]
  const connection = connectTo(...endpoints.map(({ port }) => port))
  // Endpoints that are not connected yet are tried last, so at first one may get all calls.
  for (let index = 0; index < 30; index++) await connection.call(read, {})
  for (const { calls } of endpoints) expect(calls.length).toBeGreaterThan(0)
})

test("skips an endpoint that is down, for writes too", async () => {
  const [dead, alive] = [await deadPort(), await endpoint()]
  const connection = connectTo(dead, alive.port)
  for (let index = 0; index < 5; index++) {
    expect((await connection.call(write, {})).number).toBe(alive.port)
    expect((await connection.call(read, {})).number).toBe(alive.port)
  }
})

test("repeats a failed read elsewhere, but no write that may have happened", async () => {
  const [faulty, good] = [await endpoint(), await endpoint()]
  faulty.behaviour = { code: status.UNAVAILABLE, details: "etcdserver: request timed out" }
  const connection = connectTo(faulty.port, good.port)
  for (let index = 0; index < 4; index++) expect((await connection.call(read, {})).number).toBe(good.port)
  const codes = []
  for (let index = 0; index < 4; index++)
    codes.push(
      await connection.call(write, {}).then(
        () => "written",
        (error: RpcError) => error.fault.code,
      ),
    )
  expect(codes).toContain(status.UNAVAILABLE)
  expect(faulty.calls.filter((name) => name === "Write").length + good.calls.filter((name) => name === "Write").length).toBe(4)
})

test.each<[string, FakeMember["behaviour"]]>([
  ["that broke off", "drops"],
  ["that was not answered", "hangs"],
  ["that lost its leader", { code: status.UNAVAILABLE, details: "etcdserver: request timed out, possibly due to previous leader failure" }],
])("sends a transaction %s once, and to no other member", async (_what, behaviour) => {
  const members = [await endpoint(), await endpoint()]
  const connection = connectTo(...members.map(({ port }) => port))
  for (let index = 0; index < 4; index++) await connection.call(txnCall, {})
  const sent = (): number => members.flatMap(({ calls }) => calls).length
  const before = sent()
  for (const member of members) member.behaviour = behaviour
  await faultOf(connection.call(txnCall, {}, { timeoutMs: 300 }))
  expect(sent() - before).toBe(1)
})

test("leaves time for another endpoint when one hangs, and then tries the hanging one last", async () => {
  const [hanging, good] = [await endpoint(), await endpoint()]
  const connection = connectTo(hanging.port, good.port)
  await connection.call(read, {})
  await connection.call(read, {})
  hanging.behaviour = "hangs"
  const timeoutMs = 600
  for (let index = 0; index < 6; index++) expect((await connection.call(read, {}, { timeoutMs })).number).toBe(good.port)
  expect(hanging.calls.length).toBeLessThanOrEqual(4)
})

test("times out when every endpoint hangs", async () => {
  const hanging = await endpoint()
  hanging.behaviour = "hangs"
  expect(await faultOf(connectTo(hanging.port).call(read, {}, { timeoutMs: 50 }))).toBe(status.DEADLINE_EXCEEDED)
})

test("reports a server that is down once", async () => {
  const [dead, alive] = [await deadPort(), await endpoint()]
  const news: unknown[] = []
  const connection = connectTelling((...told) => news.push(told), dead, alive.port)
  for (let index = 0; index < 20; index++) await connection.call(read, {})
  expect(news).toEqual([[`http://127.0.0.1:${dead}`, expect.stringMatching(/^connect ECONNREFUSED|^it cannot be connected to$/)]])
})

test("reports a server that does not serve once, and once more when it serves again", async () => {
  const server = await endpoint()
  const url = `http://127.0.0.1:${server.port}`
  const news: unknown[] = []
  const connection = connectTelling((...told) => news.push(told), server.port)
  await connection.call(read, {})
  server.behaviour = { code: status.UNAVAILABLE, details: "etcdserver: no leader" }
  for (let index = 0; index < 2; index++) await faultOf(connection.call(read, {}))
  expect(news).toEqual([[url, expect.stringContaining("etcd has no leader: more than half")]])
  server.behaviour = { code: status.OUT_OF_RANGE, details: "etcdserver: mvcc: required revision has been compacted" }
  await faultOf(connection.call(read, {}))
  server.behaviour = "answers"
  for (let index = 0; index < 2; index++) await connection.call(read, {})
  expect(news.slice(1)).toEqual([[url]])
})

test("reports the reason of the reachable member when another is down", async () => {
  const [dead, alone] = [await deadPort(), await endpoint()]
  const connection = connectTo(dead, alone.port)
  await connection.call(read, {})
  alone.behaviour = { code: status.UNAVAILABLE, details: "etcdserver: no leader" }
  await expect(connection.call(read, {})).rejects.toThrow("etcdserver: no leader")
})

test("does not try elsewhere after a refusal", async () => {
  const [first, second] = [await endpoint(), await endpoint()]
  first.behaviour = second.behaviour = { code: status.OUT_OF_RANGE, details: "etcdserver: mvcc: required revision has been compacted" }
  expect(await faultOf(connectTo(first.port, second.port).call(read, {}))).toBe(status.OUT_OF_RANGE)
  expect(first.calls.length + second.calls.length).toBe(1)
})

test("fails when no server is reachable, and after the connection was closed", async () => {
  const connection = connectTo(await deadPort())
  expect(await faultOf(connection.call(read, {}))).toBe(status.UNAVAILABLE)
  connection.close()
  expect(await faultOf(connection.call(read, {}))).toBe(status.CANCELLED)
})

test("verifies an endpoint's certificate over TLS", async () => {
  const pair = await inMemoryPair({ names: ["127.0.0.1"], clock: systemClock })
  const keys = [{ cert_chain: Buffer.from(pair.certificate), private_key: Buffer.from(pair.key) }]
  const secure = await endpoint(ServerCredentials.createSsl(null, keys))
  const servers = [`https://127.0.0.1:${secure.port}`]
  const trusting = connectEtcd({ servers, tls: { authority: pair.authority, certificate: pair.certificate, key: pair.key } }, systemClock)
  const distrusting = connectEtcd({ servers, tls: {} }, systemClock)
  open.push(trusting, distrusting)
  const pinning = connectEtcd({ servers, tls: { authority: pair.certificate } }, systemClock)
  open.push(pinning)
  expect((await trusting.call(read, {})).number).toBe(secure.port)
  expect((await pinning.call(read, {})).number).toBe(secure.port)
  expect(await faultOf(distrusting.call(read, {}))).toBe(status.UNAVAILABLE)
})
