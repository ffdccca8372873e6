import { describe, expect, it } from "vitest"
import { largeObjectBytes, recentObjectsBytes } from "../base/limits.ts"
import type { ApiObject } from "../base/json.ts"
import { type RecentObject, RecentObjects } from "./recent-objects.ts"

const object = (name: string) => ({ kind: "Pod", apiVersion: "v1", metadata: { name } })

const written = (revision: number, of: ApiObject, bytes: number): RecentObject => ({ revision, object: of, passed: true, bytes })

describe("the objects that were written last", () => {
  it("are found by their version only, and not after their removal", () => {
    const recent = new RecentObjects()
    const [first, second] = [object("a"), object("a")]
    recent.keep("/a", written(1, first, 100))
    expect(recent.find("/a", 1)?.object).toBe(first)
    recent.keep("/a", written(2, second, 100))
    expect(recent.find("/a", 1)).toBeUndefined()
    expect(recent.find("/a", 2)?.object).toBe(second)
    recent.drop("/a")
    expect(recent.find("/a", 2)).toBeUndefined()
  })

  it("are as many as the limit of their bytes allows: the one that was written longest ago goes first", () => {
    const recent = new RecentObjects()
    const bytes = largeObjectBytes - 1
    const fit = Math.floor(recentObjectsBytes / bytes)
    for (let index = 0; index <= fit; index++) recent.keep(`/${index}`, written(1, object("a"), bytes))
    expect(recent.find("/0", 1)).toBeUndefined()
    expect(recent.find("/1", 1)).toBeDefined()
    // Written again: the next one is the oldest now.
    recent.keep("/1", written(2, object("a"), bytes))
    recent.keep("/one-more", written(1, object("a"), bytes))
    expect(recent.find("/1", 2)).toBeDefined()
    expect(recent.find("/2", 1)).toBeUndefined()
  })

  it("hold none that is large, and none that differs from its JSON in a field that is undefined", () => {
    const recent = new RecentObjects()
    recent.keep("/large", written(1, object("a"), largeObjectBytes))
    recent.keep("/undefined", written(1, { ...object("a"), spec: { containers: [{ name: "c", image: undefined }] } }, 100))
    const managedFields = [{ manager: "m", time: undefined, fieldsV1: {} }]
    recent.keep("/manager", written(1, { ...object("a"), metadata: { managedFields } }, 100))
    recent.keep("/null", written(1, { ...object("a"), metadata: { creationTimestamp: null } }, 100))
    expect(recent.find("/large", 1)).toBeUndefined()
    expect(recent.find("/undefined", 1)).toBeUndefined()
    expect(recent.find("/manager", 1)).toBeUndefined()
    expect(recent.find("/null", 1)).toBeDefined()
  })

  it("are not found in a version that could not be kept", () => {
    const recent = new RecentObjects()
    recent.keep("/a", written(1, object("a"), 100))
    recent.keep("/a", written(2, object("a"), largeObjectBytes))
    expect(recent.find("/a", 1)).toBeUndefined()
    expect(recent.find("/a", 2)).toBeUndefined()
  })
})
