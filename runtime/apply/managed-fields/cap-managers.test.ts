import fc from "fast-check"
import { expect, test } from "vitest"
import { updatersMax } from "../../base/limits.ts"
import { type FieldSet, sortedFieldSet, union } from "../ownership/field-set.ts"
import { compareTexts, type ManagedFieldsEntry, type Manager, managerKey, sameManager } from "./entry.ts"
import { capUpdaters } from "./cap-managers.ts"

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
const owners = fc.uniqueArray(entry, { selector: managerKey, maxLength: 30 })

/** The plain rule: searches all entries for each updater. */
function model(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updaters = entries.filter(({ operation }) => operation === "Update").sort(byAge)
  const left = [...entries]
  const take = (owner: Manager): ManagedFieldsEntry | undefined => {
    const at = left.findIndex((one) => sameManager(one, owner))
    return at < 0 ? undefined : left.splice(at, 1)[0]
  }
  const firsts = new Map<string, ManagedFieldsEntry>()
  let count = updaters.length
  for (const one of updaters) {
    if (count <= updatersMax) break
    const first = firsts.get(one.apiVersion)
    if (first === undefined) {
      firsts.set(one.apiVersion, one)
      continue
    }
    const owner: Manager = { manager: "ancient-changes", operation: "Update", apiVersion: one.apiVersion, subresource: "" }
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

function byAge(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return (
    compareTexts(left.time ?? "", right.time ?? "") ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}

const shown = (entries: readonly ManagedFieldsEntry[]): unknown[] =>
  entries.map((one) => ({ ...one, fields: Object.keys(sortedFieldSet(one.fields)) }))

test("merges the oldest updaters of each version as the plain rule does", () => {
  fc.assert(
    fc.property(owners, (entries) => {
      expect(shown(capUpdaters(entries))).toEqual(shown(model(entries)))
    }),
    { numRuns: 500 },
  )
})
