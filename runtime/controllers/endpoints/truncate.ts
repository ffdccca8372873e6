/** Limits the addresses of one Endpoints object, like kube-controller-manager: keeps ready addresses longest. */
import type { EndpointSubset } from "../../../generated/core/v1/endpoints/types.ts"

/** Addresses of one Endpoints object; EndpointSlices have no such limit. The reference's number. */
export const endpointsAddressesMax = 1000

/**
 * The subsets with at most `max` addresses. If the ready addresses fit, each subset loses the same share of its other
 * addresses; if not, it loses all others and the same share of its ready ones. Undefined when all fit.
 */
export function truncated(subsets: readonly EndpointSubset[], max = endpointsAddressesMax): EndpointSubset[] | undefined {
  const sum = (of: (subset: EndpointSubset) => readonly unknown[]): number =>
    subsets.reduce((total, subset) => total + of(subset).length, 0)
  const ready = sum(({ addresses = [] }) => addresses)
  const others = sum(({ notReadyAddresses = [] }) => notReadyAddresses)
  if (ready + others <= max) return undefined
  const shareOf = (room: number, total: number): (<Item>(items: readonly Item[]) => Item[]) => {
    let left = room
    return (items) => {
      const taken = items.slice(0, Math.min(left, Math.ceil((items.length / total) * room)))
      left -= taken.length
      return taken
    }
  }
  const [takeReady, takeOther] = ready > max ? [shareOf(max, ready), () => []] : [undefined, shareOf(max - ready, others)]
  return subsets.map(({ addresses = [], notReadyAddresses = [], ...ports }) => {
    const kept = takeReady === undefined ? addresses : takeReady(addresses)
    const keptOthers = takeOther(notReadyAddresses)
    return { ...(kept.length > 0 && { addresses: kept }), ...(keptOthers.length > 0 && { notReadyAddresses: keptOthers }), ...ports }
  })
}
