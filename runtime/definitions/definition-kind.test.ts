import { expect, it } from "vitest"
import { kinds } from "../../generated/index.ts"
import { Failures } from "../base/failure.ts"
import { vendorProfile } from "../base/vendor.ts"
import { validateByKind } from "../registry/admit.ts"
import { definitionGroup, kindsOfVendor } from "./definition-kind.ts"

const vendor = vendorProfile("orch")

it("checks a definition in a turn of its own", async () => {
  const kind = kindsOfVendor(kinds, vendor).find(({ group }) => group === definitionGroup)
  const parts = await kind?.load()
  const failures = new Failures()
  const wrong = { metadata: { name: "wrong" }, spec: { group: "" } }
  let isNextTurn = false
  setImmediate(() => {
    isNextTurn = true
  })
  const checked = parts && validateByKind(parts, wrong, { failures, vendor })
  await Promise.resolve()
  expect(failures.empty).toBe(true)
  await checked
  expect(isNextTurn).toBe(true)
  expect(failures.empty).toBe(false)
})
