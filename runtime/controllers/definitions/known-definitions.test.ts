import { expect, it } from "vitest"
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { typed } from "../../schema/typed.ts"
import { KnownDefinitions } from "./known-definitions.ts"

const definition = (group: string): CustomResourceDefinition => typed({ metadata: {}, spec: { group } })

it("finds definitions by name and by group, until they are deleted", () => {
  const known = new KnownDefinitions()
  const [one, other] = [definition("a.example.com"), definition("a.example.com")]
  known.set("ones", one)
  known.set("others", other)
  known.set("ones", one)
  known.set("far", definition("b.example.com"))
  expect(known.get("ones")).toBe(one)
  expect([...known.inGroup("a.example.com").keys()]).toEqual(["ones", "others"])
  known.delete("ones")
  known.delete("never there")
  expect([...known.inGroup("a.example.com").values()]).toEqual([other])
  expect(known.all().map(([name]) => name)).toEqual(["others", "far"])
  known.delete("others")
  expect(known.inGroup("a.example.com").size).toBe(0)
})
