import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { ApiError } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { timeText } from "../base/time.ts"
import { inMemoryPair } from "../launch/certificates.ts"
import type { ObjectClient } from "../schema/object-client.ts"
import { isOver, startCertificateRequestCleaner } from "./certificate-request-cleaner.ts"

const nowMs = 1_700_000_000_000
const ago = (ms: number): string => timeText(nowMs - ms)
const hour = 3600_000

function request(created: number, status: object = {}): ApiObject {
  return { metadata: { name: "r", uid: "u", creationTimestamp: ago(created) }, status: JSON.parse(JSON.stringify(status)) }
}

const decided = (type: string, at: number, certificate?: string): object => ({
  conditions: [{ type, status: "True", lastUpdateTime: ago(at) }],
  ...(certificate !== undefined && { certificate }),
})

test.each<[string, ApiObject, boolean]>([
  ["undecided for a day", request(24 * hour), true],
  ["undecided for less", request(24 * hour - 1000), false],
  ["denied an hour ago", request(24 * hour, decided("Denied", hour)), true],
  ["denied just now", request(48 * hour, decided("Denied", 1000)), false],
  ["failed an hour ago", request(hour, decided("Failed", hour)), true],
  ["issued an hour ago", request(hour, decided("Approved", hour, "x")), true],
  ["approved and not issued yet", request(48 * hour, decided("Approved", 48 * hour)), false],
  ["issued just now", request(hour, decided("Approved", 1000, "x")), false],
])("%s", (_name, object, over) => {
  expect(isOver(object, nowMs)).toBe(over)
})

test("a certificate that has expired", async () => {
  const clock = { nowMs: () => nowMs, elapsedMs: () => 0, after: () => () => {} }
  const { certificate } = await inMemoryPair({ names: ["localhost"], clock })
  const issued = (at: number): boolean => isOver(request(hour, decided("Approved", 1000, Buffer.from(certificate).toString("base64"))), at)
  expect([issued(nowMs), issued(nowMs + 2 * 365 * 24 * hour)]).toEqual([false, true])
})

let one: OpenRegistry
beforeEach(async () => {
  one = await openRegistry()
})
afterEach(() => one.close())

/** Pages of requests, and the names of deleted ones. */
function fake(pages: readonly (readonly ApiObject[])[]) {
  const deleted: string[] = []
  let faults = 0
  const client: Partial<ObjectClient> = {
    async list(_place, options = {}) {
      const at = Number(options.continue ?? "0")
      const more = at + 1 < pages.length
      return { items: pages[at] ?? [], metadata: { resourceVersion: "1", ...(more && { continue: String(at + 1) }) } }
    },
    async delete({ name }, options = {}) {
      if (faults-- > 0) throw new Error("the disk is on fire")
      if (name === "gone") throw new ApiError(404, "NotFound", "gone")
      deleted.push(`${name} ${options.preconditions?.uid}`)
    },
  }
  return {
    deps: { ...one, client: () => client as ObjectClient },
    deleted,
    fail: (times: number) => {
      faults = times
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const named = (name: string, created: number): ApiObject => {
  const { metadata, ...rest } = request(created)
  return { ...rest, metadata: { ...metadata, name } }
}

test("all pages are looked at each minute; one that is gone and a failure stop nothing for long", async () => {
  const { deps, deleted, fail } = fake([
    [named("a", 25 * hour), named("new", hour)],
    [named("gone", 25 * hour), named("b", 25 * hour)],
  ])
  const cleaner = startCertificateRequestCleaner(deps)
  fail(1)
  one.clock.advance(60_000)
  await settle()
  expect([deleted, one.logged]).toEqual([[], [expect.stringMatching(/requests for certificates/)]])
  one.clock.advance(60_000)
  await settle()
  expect(deleted).toEqual(["a u", "b u"])
  await cleaner.stop()
})

test("a server without the kind is left alone", async () => {
  const kinds = Object.assign(Object.create(one.registry.deps.kinds), { find: () => undefined })
  const registry = Object.assign(Object.create(one.registry), { deps: { ...one.registry.deps, kinds } })
  const cleaner = startCertificateRequestCleaner({ ...one, registry, client: () => ({}) as ObjectClient })
  one.clock.advance(60_000)
  await settle()
  await cleaner.stop()
  expect(one.logged).toEqual([])
})
