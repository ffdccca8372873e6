import { expect, test } from "vitest"
import { inParallel } from "./in-parallel.ts"

/** Work that ends on request. */
function held() {
  const begun: number[] = []
  const ends = new Map<number, { resolve: () => void; reject: (error: Error) => void }>()
  return {
    begun,
    end: (item: number, error?: Error) => (error === undefined ? ends.get(item)?.resolve() : ends.get(item)?.reject(error)),
    work: (item: number) =>
      new Promise<void>((resolve, reject) => {
        begun.push(item)
        ends.set(item, { resolve, reject })
      }),
  }
}

async function turn(): Promise<void> {
  for (let index = 0; index < 5; index++) await Promise.resolve()
}

test("starts items in order, up to the limit at once", async () => {
  const { begun, end, work } = held()
  const done = inParallel([1, 2, 3, 4], { atOnce: 2 }, work)
  await turn()
  expect(begun).toEqual([1, 2])
  end(2)
  await turn()
  expect(begun).toEqual([1, 2, 3])
  end(1)
  end(3)
  await turn()
  end(4)
  await done
  expect(begun).toEqual([1, 2, 3, 4])
})

test("throws the first failure after all started work has ended, and starts nothing more", async () => {
  const { begun, end, work } = held()
  let told: unknown
  const done = inParallel([1, 2, 3, 4], { atOnce: 3 }, work).catch((error: unknown) => {
    told = error
  })
  end(2, new Error("two"))
  await turn()
  expect(told).toBeUndefined()
  end(1, new Error("one"))
  end(3)
  await done
  expect([told, begun]).toEqual([new Error("two"), [1, 2, 3]])
})

test("runs one item at a time where the limit is none", async () => {
  const { begun, end, work } = held()
  const done = inParallel([1, 2], { atOnce: 0 }, work)
  await turn()
  expect(begun).toEqual([1])
  end(1)
  await turn()
  end(2)
  await done
  expect(begun).toEqual([1, 2])
})

test("starts nothing more once aborted", async () => {
  const { begun, end, work } = held()
  const abort = new AbortController()
  const done = inParallel([1, 2, 3], { atOnce: 1, signal: abort.signal }, work)
  abort.abort()
  end(1)
  await done
  expect(begun).toEqual([1])
})

test("returns at once for no items", async () => {
  const { begun, work } = held()
  await inParallel([], { atOnce: 0 }, work)
  expect(begun).toEqual([])
})
