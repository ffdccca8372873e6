/** What a store holds, added up by resource. */

export interface ResourceTotals {
  readonly resource: string
  readonly count: number
  /** Of values; keys are not counted. */
  readonly bytes: number
  /** The key with the largest value. */
  readonly largest: { readonly key: string; readonly bytes: number }
}

export interface Totals {
  /** Called once per current value. */
  add(key: string, bytes: number): void
  /** Those that have values, by name. */
  resources(): readonly ResourceTotals[]
}

/** Called once per count. `resourceOf` tells what a key belongs to; memory grows with the number of its answers only. */
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
