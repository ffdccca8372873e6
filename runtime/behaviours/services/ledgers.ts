/**
 * The ranges during one attempt of one change: read on demand, changed in memory, written together with the service.
 */
import type { BehaviourDeps } from "../../schema/behaviour.ts"
import type { ApiObject } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import type { Random } from "../../base/random.ts"
import type { Check, Write } from "../../storage/store.ts"
import { Bitmap } from "./bitmap.ts"
import { holdingsOf } from "./fields.ts"
import { decodeAllocation, encodeAllocation } from "./range-allocation.ts"
import type { NumberRange } from "./ranges.ts"

/** One range during one attempt. */
export class RangeAllocator {
  private changed = false

  constructor(
    readonly range: NumberRange,
    private readonly bitmap: Bitmap,
    private readonly modRevision: number,
  ) {}

  /** Allocates a requested number. Returns the reason if that is not possible. */
  take(value: string): "outside" | "taken" | undefined {
    const index = this.range.indexOf(value)
    if (index === undefined) return "outside"
    if (this.bitmap.has(index)) return "taken"
    this.mark(index)
    return undefined
  }

  /** Allocates any free number, preferring numbers above the band. Undefined: the range is full. */
  next(random: Random): string | undefined {
    const { band, kept, size } = this.range
    const start = Math.max(band, kept)
    const index = this.free(random, start, size) ?? this.free(random, kept, start)
    if (index === undefined) return undefined
    this.mark(index)
    return this.range.valueAt(index)
  }

  /** Releases a number; does nothing for one outside the range. */
  release(value: string): void {
    const index = this.range.indexOf(value)
    if (index === undefined || !this.bitmap.has(index)) return
    this.bitmap.remove(index)
    this.changed = true
  }

  /** Check and write for the commit; undefined when nothing changed. */
  ops(key: string): { check: Check; write: Write } | undefined {
    if (!this.changed) return undefined
    return { check: { key, modRevision: this.modRevision }, write: { type: "put", key, value: encodeAllocation(this.range, this.bitmap) } }
  }

  private free(random: Random, from: number, to: number): number | undefined {
    return to <= from ? undefined : this.bitmap.firstFree({ from, to, start: from + random.integer(to - from) })
  }

  private mark(index: number): void {
    this.bitmap.add(index)
    this.changed = true
  }
}

/**
 * All ranges during one attempt. `enter` is awaited before the first read, so attempts on one server take turns instead
 * of conflicting.
 */
export class RangeAllocators {
  private readonly opened = new Map<NumberRange, RangeAllocator>()

  constructor(
    private readonly deps: Pick<BehaviourDeps, "read" | "readAll" | "key">,
    private readonly enter: () => Promise<void>,
  ) {}

  async of(range: NumberRange): Promise<RangeAllocator> {
    const known = this.opened.get(range)
    if (known !== undefined) return known
    if (this.opened.size === 0) await this.enter()
    const ledger = await openAllocator(this.deps, range)
    this.opened.set(range, ledger)
    return ledger
  }

  ops(): { checks: Check[]; writes: Write[] } {
    const ops = [...this.opened.values()].flatMap((ledger) => ledger.ops(this.deps.key(ledger.range.path)) ?? [])
    return { checks: ops.map(({ check }) => check), writes: ops.map(({ write }) => write) }
  }
}

/**
 * Reads a range. One that was never written, or was written for other options, is rebuilt from the existing services.
 */
async function openAllocator(deps: Pick<BehaviourDeps, "read" | "readAll">, range: NumberRange): Promise<RangeAllocator> {
  const stored = await deps.read(range.path)
  const bitmap = stored === undefined ? undefined : decodeAllocation(range, stored.value)
  return new RangeAllocator(range, bitmap ?? occupied(range, await deps.readAll("services/specs")), stored?.modRevision ?? 0)
}

/** The bitmap of everything these services hold. Called by rebuilds and by the repair. */
export function occupied(range: NumberRange, services: readonly ApiObject[]): Bitmap {
  const bitmap = new Bitmap(range.size)
  for (const service of services) {
    const { addresses, nodePorts } = holdingsOf(typed(service))
    for (const value of [...addresses, ...nodePorts]) {
      const index = range.indexOf(value)
      if (index !== undefined) bitmap.add(index)
    }
  }
  return bitmap
}
