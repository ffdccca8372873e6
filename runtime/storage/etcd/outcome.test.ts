/** The outcome that the etcd store reports for a commit without an answer, over real connections to failing members. */
import { status } from "@grpc/grpc-js"
import { afterEach, expect, it } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { codeOf, put } from "../../../test/contract/store-fixture.ts"
import { type FakeMember, startFakeMember } from "../../../test/support/fake-etcd-member.ts"
import { systemRandom } from "../../base/random.ts"
import type { Store } from "../store.ts"
import { openEtcdStore } from "./etcd-store.ts"
import { leaseGrantCall, txnCall } from "./protocol.ts"

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function member(): Promise<FakeMember> {
  const made = await startFakeMember({
    [txnCall.path]: () => txnCall.response.encode({ header: { revision: 7 }, succeeded: false }),
    [leaseGrantCall.path]: () => leaseGrantCall.response.encode({ id: 1, ttl: 100 }),
  })
  open.push(() => made.stop())
  return made
}

async function storeOn(...members: readonly FakeMember[]): Promise<Store> {
  const servers = members.map(({ port }) => `http://127.0.0.1:${port}`)
  const store = await openEtcdStore({ address: { servers }, clock: createManualClock(), random: systemRandom })
  open.push(() => store.close())
  return store
}

const commit = (store: Store, ttlSeconds?: number) => store.commit({ checks: [], writes: [put("foo/a", "1", ttlSeconds)] })
const unavailable = (details: string) => ({ code: status.UNAVAILABLE, details })

it.each<[string, FakeMember["behaviour"]]>([
  ["the member drops the connection", "drops"],
  ["the connection breaks", unavailable("Connection dropped")],
  ["etcd times out", unavailable("etcdserver: request timed out")],
  ["the leader changes", unavailable("etcdserver: leader changed")],
  ["the member stops", unavailable("etcdserver: server stopped")],
  ["a proxy answers instead", unavailable("upstream connect error or disconnect/reset before headers")],
  ["the connection is shed", { code: status.RESOURCE_EXHAUSTED, details: "Bandwidth exhausted or memory limit exceeded" }],
  ["something unknown happens", { code: status.UNKNOWN, details: "" }],
])("is undecided when %s, and sends the commit once", async (_what, behaviour) => {
  const members = [await member(), await member()]
  for (const each of members) each.behaviour = behaviour
  expect(await codeOf(commit(await storeOn(...members)))).toBe("undecided")
  expect(members.flatMap(({ calls }) => calls)).toEqual(["Txn"])
})

it("is undecided when the store is closed before the answer", async () => {
  const silent = await member()
  silent.behaviour = "hangs"
  const store = await storeOn(silent)
  const code = codeOf(commit(store))
  while (silent.calls.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await store.close()
  silent.stop()
  expect(await code).toBe("undecided")
})

it.each<[string, FakeMember["behaviour"], string]>([
  ["etcd has no leader", unavailable("etcdserver: no leader"), "unavailable"],
  ["etcd has too much to do", { code: status.RESOURCE_EXHAUSTED, details: "etcdserver: too many requests" }, "unavailable"],
  ["etcd is full", { code: status.RESOURCE_EXHAUSTED, details: "etcdserver: mvcc: database space exceeded" }, "full"],
  ["it is too large", { code: status.INVALID_ARGUMENT, details: "etcdserver: request is too large" }, "too-large"],
  ["this server has no permission", { code: status.PERMISSION_DENIED, details: "etcdserver: permission denied" }, "unavailable"],
])("was not done when %s", async (_what, behaviour, code) => {
  const refusing = await member()
  refusing.behaviour = behaviour
  expect(await codeOf(commit(await storeOn(refusing)))).toBe(code)
})

it("was not done when no member was reached, or no lease was granted", async () => {
  const gone = await member()
  gone.stop()
  expect(await codeOf(commit(await storeOn(gone)))).toBe("unavailable")
  const dropping = await member()
  dropping.behaviour = "drops"
  expect(await codeOf(commit(await storeOn(dropping), 60))).toBe("unavailable")
  expect(dropping.calls).toEqual(["LeaseGrant"])
})
