import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { put, write } from "../../test/contract/store-fixture.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { checkStoreVendor } from "./store-vendor.ts"

const clock = createManualClock()
const prefix = "/registry"

test.each([
  ["orch", "/registry/namespaces/kube-system", "--vendor=kubernetes"],
  ["kubernetes", "/registry/namespaces/orch-system", "--vendor=orch"],
] as const)("a server with the names of %s refuses a store that has %s", async (vendor, key, filledBy) => {
  const store = await openMemoryStore({ clock })
  await checkStoreVendor(store, { vendor, prefix, clock })
  await write(store, [put(key, "{}")])
  await expect(checkStoreVendor(store, { vendor, prefix, clock })).rejects.toThrow(
    `the store was filled with ${filledBy}, and its objects carry those names; start with ${filledBy}, or name another store for --vendor=${vendor}: `,
  )
  const other = vendor === "orch" ? "kubernetes" : "orch"
  await checkStoreVendor(store, { vendor: other, prefix, clock })
})

test("users may have namespaces with the other vendor's name", async () => {
  const store = await openMemoryStore({ clock })
  await write(store, [put("/registry/namespaces/kube-system", "{}"), put("/registry/namespaces/orch-system", "{}")])
  for (const vendor of ["orch", "kubernetes"] as const)
    await expect(checkStoreVendor(store, { vendor, prefix, clock })).resolves.toBeUndefined()
})

test("a store that does not answer does not hold up the start", async () => {
  const store = await openMemoryStore({ clock })
  const asked: string[] = []
  store.get = ({ key }) => {
    asked.push(key)
    return new Promise(() => undefined)
  }
  const beganMs = clock.nowMs()
  const checked = checkStoreVendor(store, { vendor: "orch", prefix, clock })
  let isChecked = false
  void checked.then(() => (isChecked = true))
  while (!isChecked) {
    clock.advance(1000)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  await expect(checked).resolves.toBeUndefined()
  // One read, for which it waited two seconds.
  expect([asked, clock.nowMs() - beganMs]).toEqual([["/registry/namespaces/kube-system"], 2000])
})
