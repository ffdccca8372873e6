import type { Vendor } from "../../base/vendor.ts"
import { bootstrapPolicy, type PolicyMeta } from "./bootstrap-policy.ts"

interface Place {
  readonly namespace: string
  readonly name: string
}

/** The roles and bindings that a server has read. The authorizer's policy is one. */
export interface KnownPolicy {
  hasRole(place: Place): boolean
  hasBinding(place: Place): boolean
}

/**
 * Names an object of the bootstrap policy that does not exist yet; undefined once all existed. Any server of a store
 * may have created them. Called once per server; the returned function is called by health checks.
 */
export function bootstrapCheck(known: KnownPolicy, vendor: Vendor): () => string | undefined {
  const policy = bootstrapPolicy(vendor)
  const placesOf = (objects: readonly { readonly metadata: PolicyMeta }[]): readonly Place[] =>
    objects.map(({ metadata: { namespace = "", name } }) => ({ namespace, name }))
  const roles = placesOf([...policy.clusterRoles, ...policy.roles])
  const bindings = placesOf([...policy.clusterRoleBindings, ...policy.roleBindings])
  let isDone = false
  return () => {
    if (isDone) return undefined
    const missing = roles.find((place) => !known.hasRole(place)) ?? bindings.find((place) => !known.hasBinding(place))
    isDone = missing === undefined
    return missing && `not finished: ${missing.namespace === "" ? "" : `${missing.namespace}/`}${missing.name} is missing`
  }
}
