/** `store copy` to a real etcd and back, for a store that outgrew one machine or should not have moved. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { put, remove, write } from "../../test/contract/store-fixture.ts"
import { type EtcdServer, forNewestEtcd, startEtcd } from "../../test/support/etcd.ts"
import { systemClock } from "../base/clock.ts"
import { systemRandom } from "../base/random.ts"
import { openEtcdStore } from "../storage/etcd/etcd-store.ts"
import { openLmdbStore } from "../storage/lmdb/lmdb-store.ts"
import type { Store } from "../storage/store.ts"
import { storeFolder } from "../launch/data-dir.ts"
import type { CommandContext } from "./context.ts"
import { run } from "./run.ts"

const namespace = (name: string): string => JSON.stringify({ kind: "Namespace", apiVersion: "v1", metadata: { name } })
const event = (name: string): string => JSON.stringify({ kind: "Event", apiVersion: "v1", metadata: { name, namespace: "default" } })
const printed: string[] = []
const errors: string[] = []
let etcd: EtcdServer
let base: string
let context: CommandContext

const openFolder = (name: string): Promise<Store> => openLmdbStore({ dir: storeFolder(join(base, name)), clock: systemClock })
const openEtcd = (): Promise<Store> => openEtcdStore({ address: { servers: [etcd.url] }, clock: systemClock, random: systemRandom })

async function copy(
  from: string,
  to: string,
): Promise<{ code: number; summary: { contentHash?: string; revision?: number; sourceRevision?: number } }> {
  printed.length = 0
  errors.length = 0
  const code = await run(["store", "copy", `--from=${from}`, `--to=${to}`, "--json"], context)
  return { code, summary: code === 0 ? JSON.parse(printed.join("")) : {} }
}

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "store-copy-"))
  context = { cwd: base, env: {}, now: () => 0, print: (line) => printed.push(line), printError: (line) => errors.push(line) }
})
afterAll(() => rmSync(base, { recursive: true }))

forNewestEtcd((binary) => {
  beforeAll(async () => {
    etcd = await startEtcd(binary)
  })
  afterAll(() => etcd.dispose())

  test("a store goes to etcd and back, with growing versions and its times to live", { timeout: 60_000 }, async () => {
    const source = await openFolder("source")
    for (let turn = 0; turn < 40; turn++) await write(source, [put("/registry/namespaces/often", namespace("often"))])
    await write(source, [put("/registry/namespaces/gone", namespace("gone"))])
    await write(source, [remove("/registry/namespaces/gone")])
    for (let index = 0; index < 20; index++)
      await write(source, [put(`/registry/events/default/e${index}`, event(`e${index}`), 600 + index)])
    const sourceRevision = await source.revision()
    await source.close()

    const there = await copy(`lmdb:${join(base, "source")}`, `etcd:${etcd.url}`)
    expect(there).toMatchObject({ code: 0, summary: { keys: 21, sourceRevision } })
    const middle = await openEtcd()
    const { items } = await middle.list({ prefix: "/registry/" })
    expect(Math.min(...items.map(({ modRevision }) => modRevision))).toBeGreaterThan(sourceRevision)
    await expect(
      middle.watch({ prefix: "/registry/", afterRevision: sourceRevision, onEvents: () => undefined, onEnd: () => undefined }),
    ).rejects.toMatchObject({ code: "compacted" })
    await middle.close()

    const back = await copy(`etcd:${etcd.url}`, `lmdb:${join(base, "target")}`)
    expect(back).toMatchObject({ code: 0, summary: { keys: 21, contentHash: there.summary.contentHash } })
    const target = await openFolder("target")
    const ending = (await target.list({ prefix: "/registry/events/" })).items
    expect(ending).toHaveLength(20)
    for (const { expiresAtMs = 0 } of ending) expect(expiresAtMs).toBeGreaterThan(systemClock.nowMs() + 400_000)
    expect(Math.min(...ending.map(({ modRevision }) => modRevision))).toBeGreaterThan(back.summary.sourceRevision ?? Number.NaN)
    await target.close()
  })

  test("a store on etcd is verified and measured like an embedded one", async () => {
    const store = await openEtcd()
    await write(store, [put("/registry/namespaces/wrong", namespace("other"))])
    printed.length = 0
    expect(await run(["store", "verify", `--store-servers=${etcd.url}`, "--json"], context)).toBe(1)
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ fault: "its value is of another object, other", key: "/registry/namespaces/wrong" }),
      expect.objectContaining({ store: etcd.url, keys: 22, faults: 1 }),
    ])
    await write(store, [remove("/registry/namespaces/wrong")])
    await store.close()
    expect(await run(["store", "verify", `--store-servers=${etcd.url}`], context)).toBe(0)
    printed.length = 0
    expect(await run(["store", "stats", `--store-servers=${etcd.url}`], context)).toBe(0)
    expect(printed.join("\n")).toMatch(/^events +20 /m)
    expect(await run(["backup", "file", `--store-servers=${etcd.url}`], context)).toBe(2)
  })

  test("an etcd that holds keys below the prefix is refused, without advice to delete them", async () => {
    const { code } = await copy(`lmdb:${join(base, "source")}`, `etcd:${etcd.url}`)
    expect(code).toBe(1)
    expect(errors.join()).toContain("the target is not empty")
    expect(errors.join()).not.toContain("delete")
  })
})

test("an unreachable etcd is reported in words", { timeout: 60_000 }, async () => {
  const { code } = await copy("etcd:http://127.0.0.1:1", `lmdb:${join(base, "nothing")}`)
  expect(code).toBe(1)
  expect(errors).toHaveLength(1)
})
