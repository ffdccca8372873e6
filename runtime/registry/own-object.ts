import type { ApiObject } from "../base/json.ts"
import { normalize } from "../encoding/normalize.ts"
import type { KindHandle, Registry } from "./registry.ts"

/**
 * An object that the server itself writes, as a verb decodes the body of a client: in normal form, with required
 * fields and defaults. Called before every such write, because behaviours and checks rely on decoded objects.
 */
export function ownObject({ deps }: Registry, { parts, kind, apiVersion }: KindHandle, content: ApiObject): ApiObject {
  const { object } = normalize(parts.shape, { kind: kind.kind, apiVersion, ...content })
  parts.applyDefaults(object, { vendor: deps.vendor })
  return object
}
