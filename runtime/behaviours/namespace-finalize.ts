/**
 * PUT of a namespace's `finalize`: a controller that has cleaned up removes its finalizer (catalog resources.yaml:
 * namespaces).
 */
import { defineSubresource } from "../schema/define.ts"
import type { Namespace } from "../../generated/core/v1/namespace/types.ts"

/** Sub-resource `namespaceFinalize`: takes metadata and spec from the request; the status stays. */
export const namespaceFinalize = defineSubresource<Namespace, Namespace>({
  update: ({ metadata, spec }, old): Namespace => ({ ...old, metadata, spec }),
})
