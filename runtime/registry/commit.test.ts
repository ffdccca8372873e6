import { Pace } from "../base/pace.ts"
import { untraced } from "../base/trace.ts"
import { afterEach, expect, test } from "vitest"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import type { ResourceCache } from "../storage/cache.ts"
import { commitPut, collectTransactionOps } from "./commit.ts"

let opened: OpenRegistry | undefined
afterEach(() => opened?.close())

/** Records the values that writers have announced and not withdrawn. Both still reach the cache. */
function announcements(cache: ResourceCache): Set<Uint8Array> {
  const announced = new Set<Uint8Array>()
  const [expectWrite, unexpect] = [cache.announce.bind(cache), cache.withdraw.bind(cache)]
  cache.announce = (key, value, json, object) => {
    announced.add(value)
    expectWrite(key, value, json, object)
  }
  cache.withdraw = (key, value) => {
    announced.delete(value)
    unexpect(key, value)
  }
  return announced
}

test("a writer that lost the race withdraws what it announced to the cache", async () => {
  opened = await openRegistry()
  await opened.create("configmaps", { metadata: { name: "a", namespace: "n" }, data: { k: "v" } })
  const handle = await opened.handle("configmaps")
  const announced = announcements(handle.cache)
  const put = async (expected: number) => {
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "n" }, data: { k: "w" } }
    const ops = await collectTransactionOps(handle, { object }, { dryRun: false })
    return commitPut((opened ?? never()).registry, handle, {
      key: handle.key("n", "a"),
      expected,
      object,
      ops,
      dryRun: false,
      created: false,
      trace: untraced,
      pace: new Pace(),
    })
  }
  for (let race = 0; race < 5; race++) expect(await put(0)).toMatchObject({ ok: false, exists: true })
  expect(announced.size).toBe(0)
  const current = handle.cache.get(handle.key("n", "a"))
  expect(await put(current?.modRevision ?? 0)).toMatchObject({ ok: true })
  expect(announced.size).toBe(1)
})

function never(): never {
  throw new Error("opened above")
}
