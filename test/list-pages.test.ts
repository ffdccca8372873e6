/**
 * Pages of lists under writes (specification 4.5, 3): whatever is written between two pages, together they show the
 * state at the version of the first page; sorted lists (docs/LISTS.md) are that state in order.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { KindHandle } from "../runtime/registry/registry.ts"
import { parseObject } from "../runtime/registry/object-codec.ts"
import { type ListRequest, listObjects } from "../runtime/registry/read.ts"
import { listOrder } from "../runtime/verbs/list/list-extensions.ts"
import { type OpenRegistry, openRegistry } from "./support/open-registry.ts"

type Write = { readonly name: string; readonly size: number } | { readonly remove: string }

const names = fc.constantFrom(..."abcdefghijklmnop")
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: names, size: fc.integer({ min: 0, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: names }) },
)
/** The writes before the first page and before each further one. */
const history = fc.record({
  before: fc.array(write, { maxLength: 30 }),
  between: fc.array(fc.array(write, { maxLength: 5 }), { maxLength: 10 }),
  limit: fc.integer({ min: 1, max: 6 }),
})

interface Seen {
  readonly name: string
  readonly size: number | undefined
}

async function apply(at: OpenRegistry, written: Write): Promise<void> {
  const present = await at.names("replicationcontrollers")
  const name = "remove" in written ? written.remove : written.name
  const there = present.includes(`n/${name}`)
  if ("remove" in written) {
    if (there) await at.remove("replicationcontrollers", `n/${name}`)
  } else if (there) {
    await at.update("replicationcontrollers", `n/${name}`, (old) => ({ ...old, spec: { ...specOf(old), replicas: written.size } }))
  } else {
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }
    const spec = { replicas: written.size, selector: { a: "b" }, template }
    await at.create("replicationcontrollers", { metadata: { name, namespace: "n" }, spec })
  }
}

function specOf(object: object): object {
  return "spec" in object && typeof object.spec === "object" && object.spec !== null ? object.spec : {}
}

function requestFor(handle: KindHandle, sortBy: string, more: Partial<ListRequest>): ListRequest {
  const plain: ListRequest = {
    namespace: "n",
    freshness: { mode: "most-recent" },
    limit: 0,
    continueToken: "",
    tokenScope: `test ${sortBy}`,
    ...more,
  }
  return sortBy === "" ? plain : { ...plain, order: listOrder(handle, sortBy) }
}

async function list(at: OpenRegistry, sortBy: string, more: Partial<ListRequest>) {
  const handle = await at.handle("replicationcontrollers")
  const page = await listObjects(at.registry, handle, requestFor(handle, sortBy, more))
  const seen: Seen[] = [...page.items].map((item) => {
    const object = parseObject(item.json())
    const size = "replicas" in specOf(object) ? Reflect.get(specOf(object), "replicas") : undefined
    return { name: object.metadata?.name ?? "", size: typeof size === "number" ? size : undefined }
  })
  return { ...page, seen }
}

async function pagesShowOneState(sortBy: string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, async ({ before, between, limit }) => {
      const at = await openRegistry()
      try {
        for (const written of before) await apply(at, written)
        const whole = await list(at, sortBy, {})
        const paged: Seen[] = []
        let page = await list(at, sortBy, { limit })
        for (const writes of between.concat(Array.from({ length: 30 }, () => []))) {
          expect(page.revision).toBe(whole.revision)
          expect(page.seen.length).toBeLessThanOrEqual(limit)
          paged.push(...page.seen)
          expect(page.remainingItemCount ?? 0).toBe(whole.seen.length - paged.length)
          if (page.continueToken === "") break
          for (const written of writes) await apply(at, written)
          page = await list(at, sortBy, { limit, continueToken: page.continueToken })
        }
        expect(page.continueToken).toBe("")
        expect(paged).toEqual(whole.seen)
      } finally {
        await at.close()
      }
    }),
    { numRuns: 40 },
  )
}

describe("pages", () => {
  it("together show one state, in the order of keys", () => pagesShowOneState(""))
  it("together show one state, sorted", () => pagesShowOneState(".spec.replicas"))
  it("together show one state, sorted by several fields in descending order", () => pagesShowOneState("-.spec.replicas,-.metadata.name"))

  it("are in the order of a stable sort", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 40 }), async (writes) => {
        const at = await openRegistry()
        try {
          for (const written of writes) await apply(at, written)
          const { seen: byKey } = await list(at, "", {})
          const { seen } = await list(at, "-.spec.replicas", {})
          expect(seen).toEqual(byKey.toSorted((left, right) => (right.size ?? 0) - (left.size ?? 0)))
        } finally {
          await at.close()
        }
      }),
      { numRuns: 40 },
    )
  })
})
