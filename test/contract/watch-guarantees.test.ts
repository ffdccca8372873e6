/** Each guarantee is violated once, to show that its predicate notices. */
import { describe, expect, test } from "vitest"
import { expectGuarantees, guarantees } from "./watch-guarantees.ts"
import type { History, HistoryWrite, Observation } from "./watch-guarantees.ts"

const writes: HistoryWrite[] = [
  { type: "put", key: "a/x", revision: 2 },
  { type: "put", key: "a/y", revision: 2 },
  { type: "put", key: "a/x", revision: 3 },
  { type: "put", key: "b/z", revision: 4 },
  { type: "delete", key: "a/x", revision: 5 },
]
const covers = (key: string): boolean => key.startsWith("a/")

function event(
  type: "ADDED" | "MODIFIED" | "DELETED",
  key: string,
  revision: number,
  more: { objectRevision?: number; previousRevision?: number; delivery?: number } = {},
): Observation {
  return { type, key, revision, objectRevision: revision, delivery: revision, ...more }
}

const addX = event("ADDED", "a/x", 2)
const addY = event("ADDED", "a/y", 2)
const modifyX = event("MODIFIED", "a/x", 3, { previousRevision: 2 })
const bookmark: Observation = { type: "BOOKMARK", revision: 4 }
const deleteX = event("DELETED", "a/x", 5, { previousRevision: 3 })
const good: readonly Observation[] = [addX, addY, modifyX, bookmark, deleteX]

interface Break {
  readonly promise: string
  readonly seen: readonly Observation[]
  readonly resumed?: readonly Observation[]
}

const breaks: readonly Break[] = [
  { promise: "expectFiltered", seen: good.toSpliced(3, 0, event("ADDED", "b/z", 4)) },
  { promise: "expectOrdered", seen: [addX, modifyX, addY, bookmark, deleteX] },
  { promise: "expectUnique", seen: good.toSpliced(1, 0, addX) },
  { promise: "expectReliable", seen: good.toSpliced(2, 1) },
  { promise: "expectReliable", seen: good.slice(0, 4) },
  { promise: "expectAtomic", seen: good.toSpliced(1, 1, event("ADDED", "a/y", 2, { delivery: 9 })) },
  { promise: "expectBookmarkable", seen: [addX, addY, { type: "BOOKMARK", revision: 3 }, modifyX, bookmark, deleteX] },
  { promise: "expectResumable", seen: good, resumed: good.slice(3) },
  { promise: "expectTyped", seen: good.toSpliced(2, 1, event("ADDED", "a/x", 3)) },
  { promise: "expectVersioned", seen: good.toSpliced(4, 1, event("DELETED", "a/x", 5, { objectRevision: 3 })) },
  { promise: "expectVersioned", seen: good.toSpliced(2, 1, event("MODIFIED", "a/x", 3, { previousRevision: 1 })) },
]

function history(seen: readonly Observation[], resumed: readonly Observation[] = good.slice(2)): History {
  return {
    writes,
    watchers: [
      { name: "first", covers, afterRevision: 1, seen, untilRevision: 5 },
      { name: "resumed", covers, afterRevision: 2, seen: resumed, untilRevision: 5 },
    ],
  }
}

function broken(seen: readonly Observation[], resumed?: readonly Observation[]): string[] {
  const names: string[] = []
  for (const guarantee of guarantees) {
    try {
      guarantee(history(seen, resumed))
    } catch {
      names.push(guarantee.name)
    }
  }
  return names
}

describe("watch guarantees", () => {
  test("hold for a correct history", () => expectGuarantees(history(good)))
  test.each(breaks)("$promise detects its violation", ({ promise, resumed, seen }) => {
    expect(broken(seen, resumed)).toContain(promise)
  })
})
