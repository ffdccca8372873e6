import { expect, test } from "vitest"
import { latestMinor, librariesOf, newExpressionsMinor } from "./index.ts"

test("new expressions have the libraries of the release before", () => {
  const names = (minor: number): string[] => librariesOf(minor).map(({ name }) => name)
  expect(names(latestMinor).filter((name) => !names(newExpressionsMinor).includes(name))).toEqual(["net.ip", "net.cidr"])
})

test("every overload has a name of its own", () => {
  const ids = librariesOf(latestMinor).flatMap(({ functions = [] }) => functions.flatMap(({ overloads }) => overloads.map(({ id }) => id)))
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})
