import { expect, it } from "vitest"
import { compareGroups, compareVersions } from "./group-order.ts"

it("lists built-in groups by priority, then custom ones by name", () => {
  const groups = [
    "zoo.example.com",
    "coordination.orch.io",
    "apiextensions.orch.io",
    "a.example.com",
    "apps",
    "admissionregistration.orch.io",
    "events.orch.io",
  ]
  expect(groups.sort(compareGroups)).toEqual([
    "apps",
    "events.orch.io",
    "admissionregistration.orch.io",
    "apiextensions.orch.io",
    "coordination.orch.io",
    "a.example.com",
    "zoo.example.com",
  ])
})

// The example in the reference's documentation on versions of custom resource definitions.
it("prefers stable versions, then newer ones, and puts other names last", () => {
  const versions = ["foo10", "v11alpha2", "foo1", "v3beta1", "v10beta3", "v12alpha1", "v2", "v11beta2", "v1", "v10"]
  expect(versions.sort(compareVersions)).toEqual([
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ])
})
