/** Labels the Secrets of tokens without an expiry with the day of their last use. */
import type { Clock } from "../../base/clock.ts"
import type { ApiObject } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { lastUseWritesMax } from "../limits.ts"

export interface LastUseOptions {
  /** Merges labels into a Secret, if it is still the one with this uid. */
  readonly label: (secret: SecretPlace, labels: Readonly<Record<string, string>>) => Promise<unknown>
  readonly clock: Clock
  readonly vendor: Vendor
  /** Called when a label could not be written. */
  readonly onFault: (error: unknown, secret: SecretPlace) => void
}

export interface SecretPlace {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

const dayMs = 86_400_000

/**
 * Called once per server. The result is called with each Secret whose token is looked up, and writes in the background:
 * no request waits for it or fails with it. A Secret is labelled once a day. If a write fails, or too many others are
 * running, the next look-up repeats it.
 */
export function lastUses({ label, clock, vendor, onFault }: LastUseOptions): (secret: ApiObject) => void {
  const name = vendor.domain("orch.io/legacy-token-last-used")
  const writing = new Set<string>()
  return ({ metadata = {} }) => {
    const now = clock.nowMs()
    const today = dayOf(now)
    const known = metadata.labels?.[name]
    // The clock of another server may be ahead.
    if (known === today || known === dayOf(now + dayMs)) return
    const place = { namespace: metadata.namespace ?? "", name: metadata.name ?? "", uid: metadata.uid ?? "" }
    const key = `${place.namespace}/${place.name}`
    if (writing.has(key) || writing.size >= lastUseWritesMax) return
    writing.add(key)
    void label(place, { [name]: today })
      .catch((error: unknown) => onFault(error, place))
      .finally(() => writing.delete(key))
  }
}

/** `2026-01-31`, in UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, "2026-01-31".length)
}
