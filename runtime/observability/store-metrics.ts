/** The latency of commits, for `/metrics`, by the operation and the resource, as the reference measures etcd. */
import type { Kind } from "../schema/kind.ts"
import { meteredResourcesMax } from "../base/limits.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Metric } from "./metric.ts"
import { lines, secondsEnds, Spread } from "./spread.ts"

/** Change that a commit makes to an object. */
export type StoreOperation = "create" | "update" | "delete"

type Series = Partial<Record<StoreOperation, Spread>>

/** Created once per server. */
export class StoreLatencies {
  /** A definition that changes makes new kinds, which share the series of their resource. */
  private readonly ofKind = new WeakMap<Kind, Series>()
  private readonly resources = new Map<string, Series>()
  private readonly others: Series = {}

  constructor(private readonly vendor: Vendor) {}

  /** Called for each commit, whatever its outcome. `kind`: the stored kind. */
  committed(kind: Kind, operation: StoreOperation, seconds: number): void {
    const series = this.ofKind.get(kind) ?? this.take(kind)
    const spread = series[operation] ?? new Spread(secondsEnds)
    series[operation] = spread
    spread.add(seconds)
  }

  metrics(): readonly Metric[] {
    const all: readonly (readonly [string, Series])[] = [["", this.others], ...this.resources]
    const operations = ["create", "delete", "update"] as const
    return [
      {
        name: "etcd_request_duration_seconds",
        type: "histogram",
        help: "Time until a write is durable in seconds, whichever store it is, by operation and resource.",
        samples: operations.flatMap((operation) =>
          all.flatMap(([type, series]) => {
            const spread = series[operation]
            return spread === undefined ? [] : lines(`operation="${operation}",type="${type}"`, spread)
          }),
        ),
      },
    ]
  }

  private take(kind: Kind): Series {
    const name = kind.group === "" ? kind.resource : `${kind.resource}.${this.vendor.group(kind.group)}`
    const known = this.resources.get(name)
    const series = known ?? (this.resources.size < meteredResourcesMax ? {} : this.others)
    if (known === undefined && series !== this.others) this.resources.set(name, series)
    this.ofKind.set(kind, series)
    return series
  }
}
