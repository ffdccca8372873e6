/** Sums up the contents of a store by resource. */

export interface ResourceTotals {
  readonly resource: string
  readonly count: number
  /** Sum of the sizes of values, without keys. */
  readonly bytes: number
  /** The key with the largest value. */
  readonly largest: { readonly key: string; readonly bytes: number }
}

export interface Totals {
  /** Called once per current value. */
  add(key: string, bytes: number): void
  /** The resources that have values, by name. */
  resources(): readonly ResourceTotals[]
}

/** Called once per count. `resourceOf` maps a key to its resource; memory grows only with the number of resources. */
export function createTotals(resourceOf: (key: string) => string): Totals {
  const byResource = new Map<string, { count: number; bytes: number; largest: { key: string; bytes: number } }>()
  return {
    add(key, bytes) {
      const resource = resourceOf(key)
      const totals = byResource.get(resource) ?? { count: 0, bytes: 0, largest: { key, bytes } }
      byResource.set(resource, totals)
      totals.count++
      totals.bytes += bytes
      if (bytes > totals.largest.bytes) totals.largest = { key, bytes }
    },
    resources: () =>
      [...byResource]
        .map(([resource, totals]) => ({ resource, ...totals }))
        .sort((left, right) => (left.resource < right.resource ? -1 : 1)),
  }
}
