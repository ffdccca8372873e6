/** Stores Endpoints in canonical form, whatever form the client sent (catalog resources.yaml: endpoints). */
import { invalid } from "../base/errors.ts"
import { defineBehaviour } from "../schema/define.ts"
import type { Endpoints } from "../../generated/core/v1/endpoints/types.ts"
import { repackedAddressesMax } from "../base/limits.ts"
import { repackedAddresses, repackSubsets } from "./endpoints/repack.ts"

/** Behaviour `endpointsCanonical`. Repacks after validation, so that failures name the client's own field paths. */
export const endpointsCanonical = defineBehaviour<Endpoints>({
  async commit({ object }) {
    if (object?.subsets === undefined) return undefined
    const { subsets } = object
    const addresses = repackedAddresses(subsets)
    if (addresses > repackedAddressesMax) throw tooManyAddresses(object, addresses)
    object.subsets = repackSubsets(subsets)
    return undefined
  },
})

function tooManyAddresses(object: Endpoints, addresses: number): Error {
  const detail = `must have at most ${repackedAddressesMax} addresses in all subsets together, counted once for each set of ports that differs; put ports that have the same addresses into the same subsets`
  return invalid({ group: "", resource: "Endpoints", name: object.metadata.name ?? "" }, [
    { type: "TooMany", field: "subsets", value: addresses, detail },
  ])
}
