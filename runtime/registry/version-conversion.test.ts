/** Which objects are converted, how long results are kept and which callers share them, by counted calls. */
import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import type { ApiObject } from "../base/json.ts"
import { setWholeRange } from "../base/shared-bytes.ts"
import type { ConvertObjects } from "../schema/kind.ts"
import type { CachedObject } from "../storage/cache.ts"
import { convertedKeptMs, VersionConversion } from "./version-conversion.ts"

const [v1, v2] = ["example.com/v1", "example.com/v2"]

/** An object of the cache that keeps every encoding. */
function cached(name: string, apiVersion = v1): CachedObject {
  const json = Buffer.from(JSON.stringify({ kind: "Conv", apiVersion, metadata: { name } }))
  const kept = new Map<string, Buffer>()
  return {
    key: name,
    createRevision: 1,
    modRevision: 1,
    sizeBytes: json.length,
    hasJson: true,
    json: () => json,
    jsonPlace: (place) => setWholeRange(place, json),
    labels: () => ({}),
    field: () => name,
    mayHaveMetadata: () => false,
    kept: (form) => kept.get(form),
    derived(form, make) {
      const made = kept.get(form) ?? make()
      kept.set(form, made)
      return made
    },
  }
}

function setting(refuses: (object: ApiObject) => boolean = () => false) {
  const clock = createManualClock()
  const calls: string[][] = []
  const convert: ConvertObjects = async (objects, apiVersion) => {
    calls.push(objects.map(({ metadata }) => metadata?.name ?? ""))
    await Promise.resolve()
    if (objects.some(refuses)) throw new Error("refused")
    return objects.map((object) => ({ ...object, apiVersion }))
  }
  const version = (apiVersion: string) => ({ apiVersion, kind: "Conv", normalize: (object: ApiObject) => object })
  const codec = { toJson: () => "", describe: () => ({ labels: {}, fields: {} }) }
  const conversion = new VersionConversion({ own: version(v2), stored: version(v1), convert, codec, clock, known: new Map() })
  return { clock, calls, conversion }
}

const versions = (objects: readonly CachedObject[]): unknown[] => objects.map((object) => JSON.parse(object.json().toString()).apiVersion)

test("objects in the version are returned as they are, and the others are converted in one call", async () => {
  const { calls, conversion } = setting()
  const objects = [cached("a"), cached("b", v2), cached("c")]
  const shown = await conversion.present(objects)
  expect(versions(shown)).toEqual([v2, v2, v2])
  expect(shown[1]).toBe(objects[1])
  expect(calls).toEqual([["a", "c"]])
  const own = [cached("d", v2)]
  expect(await conversion.present(own)).toBe(own)
  expect(calls.length).toBe(1)
})

test("what was converted is read again for a while, and then converted again", async () => {
  const { calls, clock, conversion } = setting()
  const object = cached("a")
  await conversion.one(object)
  clock.advance(convertedKeptMs - 1)
  await conversion.one(object)
  expect(calls.length).toBe(1)
  clock.advance(1)
  await conversion.one(object)
  expect(calls.length).toBe(2)
})

test("callers share a conversion that runs, and one that fails for another object is repeated without it", async () => {
  const { calls, conversion } = setting(({ metadata }) => metadata?.name === "bad")
  const [good, bad] = [cached("good"), cached("bad")]
  await Promise.all([conversion.one(good), conversion.one(good)])
  expect(calls.splice(0)).toEqual([["good"]])
  const other = cached("other")
  const list = conversion.present([other, bad])
  const single = conversion.one(other)
  await expect(list).rejects.toThrow("refused")
  expect(versions([await single])).toEqual([v2])
  expect(calls).toEqual([["other", "bad"], ["other"]])
})

test("work that cannot wait starts over until its conversions are there", async () => {
  const { calls, conversion } = setting()
  let attempts = 0
  const result = await conversion.waiting(() => {
    attempts++
    const names = ["a", "b"].map((name) => conversion.now({ kind: "Conv", apiVersion: v1, metadata: { name } }))
    return names.map(({ apiVersion, metadata }) => `${metadata?.name} ${apiVersion}`)
  })
  expect(result).toEqual([`a ${v2}`, `b ${v2}`])
  expect(attempts).toBe(3)
  expect(calls).toEqual([["a"], ["b"]])
  // Nothing is kept for the next caller.
  expect(() => conversion.now({ kind: "Conv", apiVersion: v1, metadata: { name: "a" } })).toThrow("must be converted first")
})
