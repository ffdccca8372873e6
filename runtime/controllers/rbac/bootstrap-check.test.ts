import { expect, test } from "vitest"
import { vendorProfile } from "../../base/vendor.ts"
import { bootstrapCheck } from "./bootstrap-check.ts"
import { bootstrapPolicy } from "./bootstrap-policy.ts"

test("the policy is complete when each role and binding was there once", () => {
  const vendor = vendorProfile("kubernetes")
  const policy = bootstrapPolicy(vendor)
  const keyOf = ({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): string => `${namespace}/${name}`
  const missing = {
    roles: new Set([...policy.clusterRoles, ...policy.roles].map(({ metadata }) => keyOf(metadata))),
    bindings: new Set([...policy.clusterRoleBindings, ...policy.roleBindings].map(({ metadata }) => keyOf(metadata))),
  }
  const check = bootstrapCheck(
    { hasRole: (place) => !missing.roles.has(keyOf(place)), hasBinding: (place) => !missing.bindings.has(keyOf(place)) },
    vendor,
  )
  expect(check()).toBe("not finished: cluster-admin is missing")
  for (const key of [...missing.roles]) if (key !== "kube-system/extension-apiserver-authentication-reader") missing.roles.delete(key)
  expect(check()).toBe("not finished: kube-system/extension-apiserver-authentication-reader is missing")
  missing.roles.clear()
  expect(check()).toMatch(/^not finished: /)
  missing.bindings.clear()
  expect(check()).toBeUndefined()
  missing.roles.add("/cluster-admin")
  expect(check()).toBeUndefined()
})
