import { expect, test } from "vitest"
import { Failures } from "../../base/failure.ts"
import type { JsonValue } from "../../base/json.ts"
import { checkScaleSpec, checkScaleStatus } from "./scale.ts"

const paths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".status.selector" }

const faultsOf = (check: typeof checkScaleSpec, object: Parameters<typeof checkScaleSpec>[0]): string[] => {
  const failures = new Failures()
  check(object, paths, failures)
  return failures.list.map(({ field, detail }) => `${field}: ${detail}`)
}

test.each<[JsonValue | undefined, string | undefined]>([
  [undefined, undefined],
  [0, undefined],
  [1, undefined],
  [2_147_483_647, undefined],
  [-1, "should be a non-negative integer"],
  [2_147_483_648, "should be less than or equal to 2147483647"],
  [9_223_372_036_854_775_807n, "should be less than or equal to 2147483647"],
])("replicas of %s", (replicas, fault) => {
  const faults = (path: string): string[] => (fault === undefined ? [] : [`${path}: ${fault}`])
  const holder = replicas === undefined ? {} : { replicas }
  expect(faultsOf(checkScaleSpec, { spec: holder })).toEqual(faults(".spec.replicas"))
  expect(faultsOf(checkScaleStatus, { status: holder })).toEqual(faults(".status.replicas"))
})

test("values of other types, on the way as well", () => {
  expect(faultsOf(checkScaleSpec, { spec: { replicas: "1" } })).toEqual([
    ".spec.replicas: .spec.replicas accessor error: 1 is of the type string, expected int64",
  ])
  expect(faultsOf(checkScaleSpec, { spec: 1 })).toEqual([
    ".spec.replicas: .spec.replicas accessor error: 1 is of the type int64, expected map[string]interface{}",
  ])
  expect(faultsOf(checkScaleStatus, { status: { selector: 1 } })).toEqual([
    ".status.selector: .status.selector accessor error: 1 is of the type int64, expected string",
  ])
  expect(faultsOf(checkScaleStatus, { status: { selector: "a=b" } })).toEqual([])
})
