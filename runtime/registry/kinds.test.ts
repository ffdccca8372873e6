import { expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { KindTable } from "./kinds.ts"

it("knows which versions share a storage path, also after kinds have gone and come", () => {
  const table = new KindTable(kinds)
  const equalsAll = (): void => {
    for (const { storage } of kinds)
      expect(table.sharing(storage.path)).toEqual(table.all().filter((one) => one.storage.path === storage.path))
  }
  equalsAll()
  const { path } = kinds.find(({ storage }) => table.sharing(storage.path).length > 1)?.storage ?? { path: "" }
  const several = table.sharing(path)
  expect(several.length).toBeGreaterThan(1)
  table.replace(several.slice(0, 1), [])
  equalsAll()
  table.replace(several.slice(1), [])
  expect(table.sharing(path)).toEqual([])
  table.replace([], several)
  equalsAll()
})

it("tells followers which kinds a change has added", () => {
  const [one, other] = kinds
  const table = new KindTable(kinds.filter((kind) => kind !== one))
  const told: unknown[] = []
  const forget = table.onChange((added) => told.push(added))
  if (one === undefined || other === undefined) throw new Error("there are kinds")
  table.replace([], [one, other])
  table.replace([one], [])
  forget()
  table.replace([], [one])
  expect(told).toEqual([[one], []])
})
