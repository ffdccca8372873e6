import fc from "fast-check"
import { expect, test } from "vitest"
import type { EndpointInput, EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import { typed } from "../../schema/typed.ts"
import { type EndpointGroup, endpointKey, planSlices, type SliceContent } from "./slice-plan.ts"

const endpointsMax = 3

const endpoint = (index: number, ready = true): EndpointInput => ({ addresses: [`10.0.0.${index}`], conditions: { ready } })

const group = (addressType: "IPv4" | "IPv6", port: number, endpoints: readonly EndpointInput[]): EndpointGroup => ({
  addressType,
  ports: [{ port, protocol: "TCP" }],
  endpoints: new Map(endpoints.map((one) => [endpointKey(one), one])),
})

interface Stored {
  readonly name: string
  readonly content: SliceContent
}

const sliceOf = ({ name, content }: Stored): EndpointSlice => typed({ metadata: { name }, ...content })

/** The stored slices after a plan; fails if a plan would write a missing slice, or one slice more than once. */
async function apply(stored: readonly Stored[], wanted: readonly EndpointGroup[]): Promise<{ stored: Stored[]; writes: number }> {
  const plan = await planSlices({ existing: stored.map(sliceOf), wanted, endpointsMax, isOutdated: () => false })
  const next = new Map(stored.map(({ name, content }) => [name, content]))
  const touched = [...plan.updates.map(({ slice }) => slice), ...plan.deletions].map(({ metadata }) => metadata.name ?? "")
  expect(new Set(touched).size).toBe(touched.length)
  for (const { slice, content } of plan.updates) {
    expect(next.get(slice.metadata.name ?? "")?.addressType).toBe(content.addressType)
    next.set(slice.metadata.name ?? "", content)
  }
  for (const { metadata } of plan.deletions) expect(next.delete(metadata.name ?? "")).toBe(true)
  let number = 0
  for (const content of plan.creations) {
    while (next.has(`s${number}`)) number++
    next.set(`s${number}`, content)
  }
  return { stored: [...next].map(([name, content]) => ({ name, content })), writes: touched.length + plan.creations.length }
}

const textOf = ({ addressType, ports, endpoints }: SliceContent): string[] =>
  endpoints.map((one) => `${addressType} ${ports[0]?.port} ${endpointKey(one)} ${one.conditions?.ready}`)

const wantedOf = (wanted: readonly EndpointGroup[]): string[] =>
  wanted.flatMap(({ addressType, ports, endpoints }) => textOf({ addressType, ports, endpoints: [...endpoints.values()] })).sort()

const arbitraryGroups = fc
  .record({
    v4: fc.uniqueArray(fc.nat(12)),
    v4Other: fc.uniqueArray(fc.nat(12)),
    v6: fc.uniqueArray(fc.nat(12)),
    unready: fc.nat(12),
  })
  .map(({ v4, v4Other, v6, unready }) => {
    const of = (numbers: readonly number[]): EndpointInput[] => numbers.map((number) => endpoint(number, number !== unready))
    return [group("IPv4", 1, of(v4)), ...(v4Other.length > 0 ? [group("IPv4", 2, of(v4Other))] : []), group("IPv6", 1, of(v6))]
  })

test("whatever was there, each endpoint is in exactly one slice, no slice is too long, and a second plan writes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryGroups, { minLength: 1, maxLength: 5 }), async (states) => {
      let stored: Stored[] = []
      for (const wanted of states) {
        stored = (await apply(stored, wanted)).stored
        expect(stored.flatMap(({ content }) => textOf(content)).sort()).toEqual(wantedOf(wanted))
        for (const { content } of stored) expect(content.endpoints.length).toBeLessThanOrEqual(endpointsMax)
        const empty = wanted.filter(({ endpoints }) => endpoints.size === 0)
        expect(stored.filter(({ content }) => content.endpoints.length === 0)).toHaveLength(empty.length)
        expect((await apply(stored, wanted)).writes).toBe(0)
      }
    }),
  )
})

test("a pod that took the name and address of another one is written", async () => {
  const of = (uid: string): EndpointInput => ({ ...endpoint(1), targetRef: { kind: "Pod", namespace: "a", name: "p-0", uid } })
  const { stored } = await apply([], [group("IPv4", 1, [of("old")])])
  const next = await apply(stored, [group("IPv4", 1, [of("new")])])
  expect(next.writes).toBe(1)
  expect(next.stored.map(({ content }) => content.endpoints)).toEqual([[of("new")]])
})

test("an endpoint twice in the store stays once", async () => {
  const content: SliceContent = { addressType: "IPv4", ports: [{ port: 1, protocol: "TCP" }], endpoints: [endpoint(1)] }
  const { stored } = await apply(
    [
      { name: "x", content },
      { name: "y", content },
    ],
    [group("IPv4", 1, [endpoint(1)])],
  )
  expect(stored).toEqual([{ name: "x", content }])
})

test("one more endpoint fills a slice with room, and one that changes writes its slice only", async () => {
  const five = [1, 2, 3, 4, 5].map((index) => endpoint(index))
  const first = await apply([], [group("IPv4", 1, five)])
  expect(first.writes).toBe(2)
  const more = await apply(first.stored, [group("IPv4", 1, [...five, endpoint(6)])])
  expect([more.writes, more.stored.length]).toEqual([1, 2])
  const changed = await apply(more.stored, [group("IPv4", 1, [endpoint(1, false), ...five.slice(1), endpoint(6)])])
  expect(changed.writes).toBe(1)
})
