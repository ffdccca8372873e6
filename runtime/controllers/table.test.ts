import { expect, test } from "vitest"
import { optionTable } from "../options/table.ts"
import { chooseControllers } from "./table.ts"

const chosen = (...controllers: string[]): string[] => chosenWith({ controllers })
const chosenWith = (options: Partial<Parameters<typeof chooseControllers>[0]>): string[] =>
  chooseControllers({ controllers: [], "enable-garbage-collector": true, ...options }).map(({ name }) => name)

const api = [
  "namespace-controller",
  "garbage-collector-controller",
  "start-apiextensions-controllers",
  "start-service-ip-repair-controllers",
]

test("api is what the API promises", () => {
  expect(chosen("api")).toEqual(api)
})

test("* is all of them, and each has a name of its own", () => {
  const all = chosen("*")
  expect(all.length).toBeGreaterThan(api.length)
  expect(new Set(all).size).toBe(all.length)
  expect(all).toEqual(expect.arrayContaining(api))
})

test("names are added and left out, also the older ones", () => {
  expect(chosen("api", "serviceaccount-controller")).toEqual([...api, "serviceaccount-controller"])
  expect(chosen("serviceaccount", "ttl-after-finished")).toEqual(["serviceaccount-controller", "ttl-after-finished-controller"])
  expect(chosen("*", "-namespace")).toEqual(chosen("*").filter((name) => name !== "namespace-controller"))
  expect(chosen("-garbage-collector-controller", "api")).toEqual(api.filter((name) => name !== "garbage-collector-controller"))
  expect(chosen()).toEqual([])
})

test("the garbage collector has an option of its own", () => {
  expect(chosenWith({ controllers: ["*"], "enable-garbage-collector": false })).toEqual(chosen("*", "-garbagecollector"))
})

test("the union of aggregated roles is not the API's, but runs by default", () => {
  expect(chosen("api")).not.toContain("clusterrole-aggregation-controller")
  expect(chosen(...optionTable.controllers.default)).toEqual(expect.arrayContaining([...api, "clusterrole-aggregation-controller"]))
})

test("no name turns off the roles of the system", () => {
  expect(() => chosen("api", "-rbac/bootstrap-roles")).toThrow(/-rbac\/bootstrap-roles is not known/)
})

test.each([
  [["api", "nonsense"], /^--controllers: nonsense is not known; it takes \*, api, .*namespace-controller.*serviceaccount-controller/],
  [["*", "-nonsense"], /^--controllers: -nonsense is not known/],
  [["*", "-api"], /-api is not known/],
  [["*", "namespace", "-namespace-controller"], /names namespace-controller with and without a minus/],
  [["-namespace-controller"], /--controllers=api,-namespace-controller/],
])("%j stops the start", (given, message) => {
  expect(() => chosen(...given)).toThrow(message)
})
