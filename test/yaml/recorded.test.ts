/** This server reads YAML as the reference's reader does: every text, value and repeated key. */
import { expect, it } from "vitest"
import { differenceOf, recordedCases, type YamlCases } from "./recorded.ts"

it.each<[YamlCases, number]>([
  ["suite", 400],
  ["random", 1500],
])("reads the texts of %s as the reference does", (name, least) => {
  const cases = recordedCases(name)
  expect(cases.length).toBeGreaterThanOrEqual(least)
  expect(cases.map(differenceOf).filter((difference) => difference !== undefined)).toEqual([])
})
