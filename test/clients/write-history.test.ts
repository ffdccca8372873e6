import { describe, expect, it } from "vitest"
import { type Attempt, historyFaults, type WatchedEvent } from "./write-history.ts"

const put = (value: string, resourceVersion?: string): Attempt => ({
  object: "a",
  value,
  ...(resourceVersion !== undefined && { acknowledged: { resourceVersion } }),
})
const deletion = (acknowledged: boolean): Attempt => ({
  object: "a",
  value: undefined,
  ...(acknowledged && { acknowledged: { resourceVersion: undefined } }),
})
const event = (type: WatchedEvent["type"], value: string, resourceVersion: string): WatchedEvent => ({
  type,
  object: "a",
  value,
  resourceVersion,
})

describe("historyFaults", () => {
  it("finds none if every acknowledged write has its event and undecided ones have one or none", () => {
    const events = [event("ADDED", "1", "2"), event("MODIFIED", "2", "3"), event("DELETED", "2", "5"), event("ADDED", "4", "6")]
    expect(historyFaults([put("1", "2"), put("2", "3"), put("lost"), deletion(true), put("4")], events)).toEqual([])
  })

  it("reports lost, duplicate, misordered, wrong and unrequested events", () => {
    const first = event("ADDED", "1", "2")
    expect(historyFaults([put("1", "2"), put("2", "3")], [first])).toEqual([
      expect.stringContaining("was acknowledged, but the next event is none"),
    ])
    expect(historyFaults([put("1", "2")], [first, first])).toEqual([
      "the event at 2 came after that at 2",
      expect.stringContaining("nobody asked for ADDED"),
    ])
    expect(historyFaults([put("1", "9")], [first])).toHaveLength(1)
    expect(historyFaults([deletion(true)], [event("MODIFIED", "1", "2")])).toHaveLength(1)
    expect(historyFaults([put("1", "2"), put("2", "3")], [first, event("ADDED", "2", "3")])).toHaveLength(1)
  })
})
