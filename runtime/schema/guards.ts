/** Used by generated type guards. */
import { wireApiVersions } from "../base/vendor.ts"
import type { ApiObject } from "../base/json.ts"

/**
 * Whether a decoded object is of this kind and version. Decoded objects carry the names of the wire, so the version has
 * a form for each vendor: `events.orch.io/v1` is also `events.k8s.io/v1`.
 */
export function isOfKind(object: ApiObject, apiVersion: string, kind: string): boolean {
  if (object.kind !== kind) return false
  if (object.apiVersion === apiVersion) return true
  return object.apiVersion !== undefined && wireApiVersions(apiVersion).includes(object.apiVersion)
}
