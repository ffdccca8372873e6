/** `deprecatedTopology`, a field of v1beta1 that v1 can only keep (catalog defaults.yaml: EndpointSlice). */
import { defineBehaviour } from "../schema/define.ts"
import { deepEqual } from "../encoding/field-path.ts"
import type { EndpointSlice } from "../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"

/** Behaviour `deprecatedTopology`: drops the field from endpoints that a client writes, unless none of them changes. */
export const deprecatedTopology = defineBehaviour<EndpointSlice>({
  prepareCreate: dropTopology,
  prepareUpdate(object, old) {
    if (deepEqual(object.endpoints, old.endpoints)) return
    // The reference compares before it drops, and counts what is dropped as a change.
    // Beyond 2^53 it was decoded as a bigint.
    object.metadata.generation = Number(old.metadata.generation ?? 0) + 1
    dropTopology(object)
  },
})

function dropTopology(object: EndpointSlice): void {
  if (object.endpoints?.some((endpoint) => endpoint.deprecatedTopology !== undefined) !== true) return
  object.endpoints = object.endpoints.map(({ deprecatedTopology: _dropped, ...endpoint }) => endpoint)
}
