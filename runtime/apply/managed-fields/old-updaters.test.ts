import fc from "fast-check"
import { expect, test } from "vitest"
import { updatersMax } from "../../limits.ts"
import { type FieldSet, sortedFieldSet, union } from "../ownership/field-set.ts"
import { compareTexts, type Entry, type Owner, ownerKey, sameOwner } from "./entry.ts"
import { withoutOldUpdaters } from "./old-updaters.ts"

const entry = fc.record({
  manager: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "ancient-changes"),
  operation: fc.constantFrom("Update" as const, "Update" as const, "Apply" as const),
  apiVersion: fc.constantFrom("v1", "v2"),
  subresource: fc.constantFrom("", "status"),
  time: fc.constantFrom("1", "2", "3"),
  fields: fc
    .array(fc.constantFrom("f:a", "f:b", "f:c"), { minLength: 1 })
    .map((names): FieldSet => Object.fromEntries(names.map((name) => [name, {}]))),
})
const owners = fc.uniqueArray(entry, { selector: ownerKey, maxLength: 30 })

/** The plain rule: searches all entries for each updater. */
function model(entries: readonly Entry[]): Entry[] {
  const updaters = entries.filter(({ operation }) => operation === "Update").sort(byAge)
  const left = [...entries]
  const take = (owner: Owner): Entry | undefined => {
    const at = left.findIndex((one) => sameOwner(one, owner))
    return at < 0 ? undefined : left.splice(at, 1)[0]
  }
  const firsts = new Map<string, Entry>()
  let count = updaters.length
  for (const one of updaters) {
    if (count <= updatersMax) break
    const first = firsts.get(one.apiVersion)
    if (first === undefined) {
      firsts.set(one.apiVersion, one)
      continue
    }
    const owner: Owner = { manager: "ancient-changes", operation: "Update", apiVersion: one.apiVersion, subresource: "" }
    const bucket = take(owner) ?? take(first)
    const other = take(one)
    left.push({
      ...owner,
      time: one.time,
      fields: bucket === undefined || other === undefined ? one.fields : union(other.fields, bucket.fields),
    })
    count--
  }
  return left
}

function byAge(left: Entry, right: Entry): number {
  return (
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}

const shown = (entries: readonly Entry[]): unknown[] => entries.map((one) => ({ ...one, fields: Object.keys(sortedFieldSet(one.fields)) }))

test("merges the oldest updaters of each version as the plain rule does", () => {
  fc.assert(
    fc.property(owners, (entries) => {
      expect(shown(withoutOldUpdaters(entries))).toEqual(shown(model(entries)))
    }),
    { numRuns: 500 },
  )
})
