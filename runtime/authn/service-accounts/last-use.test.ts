import { expect, test } from "vitest"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import type { ApiObject } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { lastUseWritesMax } from "../limits.ts"
import { lastUses, type SecretPlace } from "./last-use.ts"

const label = "kubernetes.io/legacy-token-last-used"

/** Writes end when the test lets them. */
function world() {
  // Eleven seconds before midnight.
  const clock = createManualClock(Date.UTC(2026, 0, 31, 23, 59, 49))
  const writes: { readonly secret: SecretPlace; readonly day: string | undefined; end(error?: Error): void }[] = []
  const faults: unknown[] = []
  const note = lastUses({
    label: (secret, labels) =>
      new Promise<void>((resolve, reject) =>
        writes.push({ secret, day: labels[label], end: (error) => (error === undefined ? resolve() : reject(error)) }),
      ),
    clock,
    vendor: vendorProfile("kubernetes"),
    onFault: (error, { name }) => faults.push([name, error]),
  })
  const secret = (name: string, day?: string): ApiObject => ({
    metadata: { namespace: "n", name, uid: "u", ...(day !== undefined && { labels: { [label]: day } }) },
  })
  return { clock, writes, faults, note, secret }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("a Secret is labelled once a day, in UTC", () => {
  const { clock, note, secret, writes } = world()
  for (const day of [undefined, "2026-01-30", "no day", "2026-01-31", "2026-02-01", "2026-02-02"]) note(secret(`s-${day}`, day))
  expect(writes.map(({ secret: { name }, day }) => [name, day])).toEqual([
    ["s-undefined", "2026-01-31"],
    ["s-2026-01-30", "2026-01-31"],
    ["s-no day", "2026-01-31"],
    ["s-2026-02-02", "2026-01-31"],
  ])
  clock.advance(11_000)
  note(secret("s", "2026-01-31"))
  expect(writes.at(-1)).toMatchObject({ secret: { namespace: "n", name: "s", uid: "u" }, day: "2026-02-01" })
})

test("uses of one token at a time are one write, and many tokens are a few", async () => {
  const { note, secret, writes } = world()
  for (let times = 0; times < 100; times++) note(secret("s"))
  expect(writes.length).toBe(1)
  for (let index = 0; index < 100; index++) note(secret(`s-${index}`))
  expect(writes.length).toBe(lastUseWritesMax)
  for (const { end } of writes) end()
  await turn()
  note(secret("s-99"))
  expect(writes.length).toBe(lastUseWritesMax + 1)
})

test("a write that fails is reported, and made up for by the next use", async () => {
  const { faults, note, secret, writes } = world()
  const fault = new Error("the store is away")
  note(secret("s"))
  writes[0]?.end(fault)
  await turn()
  expect(faults).toEqual([["s", fault]])
  note(secret("s"))
  expect(writes.length).toBe(2)
})
