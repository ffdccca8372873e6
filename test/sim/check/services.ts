/**
 * Addresses and node ports belong to one service each at any moment, and the stored ranges always agree with the
 * services.
 */
import { decodeAllocation } from "../../../runtime/behaviours/services/range-allocation.ts"
import { type NumberRange, serviceRanges } from "../../../runtime/behaviours/services/ranges.ts"
import { type ApiObject, isObject, type JsonObject } from "../../../runtime/base/json.ts"
import { placeText, type StoredObjects } from "../lives/stored-objects.ts"
import { behaviourOptions } from "../world/server.ts"

export function serviceFaults(stored: StoredObjects): string[] {
  const { addresses, nodePorts } = serviceRanges(behaviourOptions)
  const faults: string[] = []
  const revisions = new Set<number>()
  for (const { resource, revision } of stored.changes) if (resource === "services") revisions.add(revision)
  for (const { revision } of stored.ranges) revisions.add(revision)
  for (const revision of revisions) {
    const services = stored.all(revision).filter(({ place }) => place.resource === "services")
    for (const range of [...addresses.values(), nodePorts]) {
      const holders = new Map<string, string>()
      for (const { place, object } of services) {
        for (const number of new Set(numbersOf(object))) {
          if (range.indexOf(number) === undefined) continue
          const other = holders.get(number)
          if (other !== undefined) faults.push(`services: ${number} belongs to ${other} and ${placeText(place)} at ${revision}`)
          holders.set(number, placeText(place))
        }
      }
      const fault = rangeFault(stored, range, { revision, holders })
      if (fault !== undefined) faults.push(fault)
    }
  }
  return faults
}

function rangeFault(
  stored: StoredObjects,
  range: NumberRange,
  { revision, holders }: { revision: number; holders: ReadonlyMap<string, string> },
): string | undefined {
  const last = stored.ranges.findLast((change) => change.path === range.path && change.revision <= revision)
  const taken = last === undefined ? undefined : decodeAllocation(range, last.value)
  const wrong = Array.from({ length: range.size }, (_unused, index) => range.valueAt(index)).filter(
    (number, index) => (taken?.has(index) ?? false) !== holders.has(number),
  )
  return wrong.length === 0 ? undefined : `services: the range ${range.text} is wrong about ${wrong.slice(0, 3).join()} at ${revision}`
}

function numbersOf({ spec }: ApiObject): string[] {
  if (!isObject(spec)) return []
  const addresses = spec.type === "ExternalName" ? [] : listOf(spec.clusterIPs).map(String)
  const ports = listOf(spec.ports).flatMap((port) => (isObject(port) && typeof port.nodePort === "number" ? [String(port.nodePort)] : []))
  return [...addresses, ...ports]
}

function listOf(value: JsonObject[string]): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
