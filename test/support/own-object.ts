import type { ApiObject } from "../../runtime/base/json.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import type { KindHandle, Registry } from "../../runtime/registry/registry.ts"

/**
 * An object as a verb decodes the body of a client: in normal form, with required fields and defaults. For tests that
 * write to the registry without a verb: behaviours and checks rely on decoded objects.
 */
export function ownObject({ deps }: Registry, { parts, kind, apiVersion }: KindHandle, content: ApiObject): ApiObject {
  const { object } = normalize(parts.shape, { kind: kind.kind, apiVersion, ...content })
  parts.applyDefaults(object, { vendor: deps.vendor })
  return object
}
