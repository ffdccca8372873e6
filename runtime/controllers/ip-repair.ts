/**
 * Repairs the stored allocations of cluster addresses and node ports from the services that use them (catalog
 * operations.yaml: service IP and node port repair). An allocation is committed together with its service, so there is
 * nothing to repair unless another program wrote to the store.
 */
import type { StoredValue } from "../storage/store.ts"
import { decodeAllocation, encodeAllocation } from "../behaviours/services/range-allocation.ts"
import { holdingsOf } from "../behaviours/services/fields.ts"
import { typed } from "../schema/typed.ts"
import { occupied } from "../behaviours/services/ledgers.ts"
import { type NumberRange, serviceRanges } from "../behaviours/services/ranges.ts"
import type { ApiObject } from "../base/json.ts"
import { conflictAttemptsMax } from "../base/limits.ts"
import { runEvery } from "./interval.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller } from "./controller.ts"

const intervalMs = 3 * 60_000

/** Called once at start. Repairs at once and then every three minutes, if services are served. */
export function startRangeRepair({ registry, clock, log }: Pick<ControllerDeps, "clock" | "log" | "registry">): Controller {
  if (registry.deps.kinds.find("", "v1", "services") === undefined) return { stop: async () => {} }
  const { options } = registry.deps.behaviourDeps
  const { addresses, nodePorts } = serviceRanges(options)
  return runEvery({
    clock,
    intervalMs,
    atOnce: true,
    async task() {
      // Bounded: the server has at most two ranges.
      for (const range of addresses.values()) await repair({ registry, log }, range)
      await repair({ registry, log }, nodePorts)
    },
    onError: (error) => log.warn({ error: errorText(error) }, "the ranges of services could not be checked; retrying later"),
  })
}

async function repair({ registry, log }: Pick<ControllerDeps, "registry" | "log">, range: NumberRange): Promise<void> {
  const { behaviourDeps, store } = registry.deps
  const key = behaviourDeps.key(range.path)
  for (let attempt = 0; attempt < conflictAttemptsMax; attempt++) {
    // Read before the services: a service committed later makes the check fail.
    const stored = await behaviourDeps.read(range.path)
    const services = await behaviourDeps.readAll("services/specs")
    const bitmap = occupied(range, services)
    if (stored === undefined ? bitmap.toBigEndian().length === 0 : same(range, stored, bitmap.toBigEndian())) break
    const value = encodeAllocation(range, bitmap)
    const outcome = await store.commit({ checks: [{ key, modRevision: stored?.modRevision ?? 0 }], writes: [{ type: "put", key, value }] })
    if (!outcome.ok) continue
    log.warn({ range: range.text }, "a range of services did not fit the services and was made anew")
    reportDoubles({ registry, log }, range, services)
    break
  }
}

function same(range: NumberRange, stored: StoredValue, wanted: Buffer): boolean {
  return decodeAllocation(range, stored.value)?.toBigEndian().equals(wanted) === true
}

/**
 * Reports services that share a number. Another program wrote them, and only their owners can decide which is correct.
 */
function reportDoubles({ log }: Pick<ControllerDeps, "registry" | "log">, range: NumberRange, services: readonly ApiObject[]): void {
  const holders = new Map<number, string>()
  for (const service of services) {
    const name = `${service.metadata?.namespace}/${service.metadata?.name}`
    const { addresses, nodePorts } = holdingsOf(typed(service))
    for (const value of [...addresses, ...nodePorts]) {
      const index = range.indexOf(value)
      if (index === undefined) continue
      const other = holders.get(index)
      if (other !== undefined) log.warn({ value, services: [other, name] }, "two services have the same number")
      holders.set(index, name)
    }
  }
}
