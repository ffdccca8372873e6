import { expect, test } from "vitest"
import { isEvent } from "../../generated/events.orch.io/v1/event/types.ts"
import { isEvent as isCoreEvent } from "../../generated/core/v1/event/types.ts"
import { isDeployment } from "../../generated/apps/v1/deployment/types.ts"
import { isPod } from "../../generated/core/v1/pod/types.ts"
import { vendorProfile, type VendorName } from "../base/vendor.ts"

test.each<VendorName>(["orch", "kubernetes"])("guards hold for what vendor %s decodes", (name) => {
  const decoded = (apiVersion: string, kind: string) => ({ apiVersion: vendorProfile(name).apiVersion(apiVersion), kind })
  expect(isEvent(decoded("events.orch.io/v1", "Event"))).toBe(true)
  expect(isCoreEvent(decoded("events.orch.io/v1", "Event"))).toBe(false)
  expect(isEvent(decoded("v1", "Event"))).toBe(false)
  expect(isPod(decoded("v1", "Pod"))).toBe(true)
  expect(isPod({ kind: "Pod" })).toBe(false)
  expect(isDeployment(decoded("apps/v1", "Deployment"))).toBe(true)
  expect(isDeployment(decoded("apps/v1", "Pod"))).toBe(false)
})
