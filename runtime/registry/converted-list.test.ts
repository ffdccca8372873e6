/** Which objects of a page are converted, and when its runs may be written as they are. */
import { describe, expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { setWholeRange } from "../base/shared-bytes.ts"
import type { CachedObject, ObjectRange } from "../storage/cache.ts"
import { presentPage } from "./converted-list.ts"
import { VersionConversion } from "./version-conversion.ts"

const [v1, v2] = ["example.com/v1", "example.com/v2"]

function cached(name: string, apiVersion: string): CachedObject {
  const json = Buffer.from(JSON.stringify({ kind: "Conv", apiVersion, metadata: { name } }))
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
    derived: (_form, make) => make(),
  }
}

/** Shows objects in v2, and notes which ones it converts. */
function conversionToV2() {
  const converted: string[] = []
  const version = (apiVersion: string) => ({ apiVersion, kind: "Conv", normalize: (object: object) => ({ ...object }) })
  const conversion = new VersionConversion({
    own: version(v2),
    stored: version(v2),
    convert: async (objects, apiVersion) => {
      converted.push(...objects.map(({ metadata }) => metadata?.name ?? ""))
      return objects.map((object) => ({ ...object, apiVersion }))
    },
    codec: { toJson: () => "", describe: () => ({ labels: {}, fields: {} }) },
    clock: createManualClock(),
    known: new Map(),
  })
  return { conversion, converted }
}

const versionsOf = (objects: Iterable<CachedObject>): unknown[] =>
  [...objects].map((object) => {
    const { apiVersion, metadata } = JSON.parse(object.json().toString())
    return `${metadata.name} ${apiVersion.split("/")[1]}`
  })

/** Versions of the objects of each run. `keeps`: facts about a run are kept with its encodings. */
const runsOf = (runs: readonly (readonly string[])[], keeps: boolean): ObjectRange[] =>
  runs.map((versions, at) => {
    const kept = new Map<string, Buffer>()
    return {
      objects: versions.map((version, index) => cached(`${at}${index}`, version)),
      start: 0,
      end: versions.length,
      encoded: (form, make) => {
        if (!keeps) return undefined
        const made = kept.get(form) ?? make()
        kept.set(form, made)
        return made
      },
    }
  })

describe.each([true, false])("a page of runs (kept: %s)", (keeps) => {
  test.each<[string, readonly (readonly string[])[], readonly string[]]>([
    ["all in the version", [[v2, v2], [v2]], []],
    ["none in the version", [[v1, v1], [v1]], ["00", "01", "10"]],
    ["the first run in the version", [[v2, v2], [v1]], ["10"]],
    ["the last run in the version", [[v1], [v2, v2]], ["00"]],
    ["one object of a run in another version", [[v2], [v2, v1, v2], [v2]], ["11"]],
    ["the last object in another version", [[v2], [v2, v1]], ["11"]],
  ])("%s", async (_what, versions, wanted) => {
    const { conversion, converted } = conversionToV2()
    const runs = runsOf(versions, keeps)
    const objects = runs.flatMap((run) => run.objects)
    for (let times = 1; times <= 2; times++) {
      const page = await presentPage(conversion, { items: objects, runs })
      expect(versionsOf(page.items)).toEqual(objects.map(({ key }) => `${key} v2`))
      expect(page.runs === undefined).toBe(wanted.length > 0)
      expect(converted.splice(0)).toEqual(wanted)
    }
  })

  test("a run that is a part of its objects is judged by that part", async () => {
    const { conversion } = conversionToV2()
    const [run] = runsOf([[v1, v2, v2, v1]], keeps)
    if (run === undefined) throw new Error("there is no run")
    const part = { ...run, start: 1, end: 3 }
    expect((await presentPage(conversion, { items: run.objects.slice(1, 3), runs: [part] })).runs).toEqual([part])
  })
})

test("a page without runs is converted where it must be", async () => {
  const { conversion, converted } = conversionToV2()
  const page = await presentPage(conversion, { items: [cached("a", v2), cached("b", v1)] })
  expect([versionsOf(page.items), page.runs, converted]).toEqual([["a v2", "b v2"], undefined, ["b"]])
})
