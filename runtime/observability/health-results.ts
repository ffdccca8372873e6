/** The results of health checks, for `/metrics/slis`. Names and labels are the reference's. */
import type { HealthEndpoint } from "./health.ts"
import type { Metric } from "./metric.ts"
import { textOf } from "./metrics.ts"

interface Results {
  readonly name: string
  readonly type: HealthEndpoint
  isHealthy: boolean
  success: number
  error: number
}

/** Created once per server. The server's checks are few, and so are the results. */
export class HealthResults {
  private readonly known = new Map<string, Results>()

  /** Called for each check of a probe. */
  observe(type: HealthEndpoint, name: string, isHealthy: boolean): void {
    const key = `${name} ${type}`
    const results = this.known.get(key) ?? { name, type, isHealthy, success: 0, error: 0 }
    this.known.set(key, results)
    results.isHealthy = isHealthy
    results[isHealthy ? "success" : "error"]++
  }

  /** The body of `/metrics/slis`. */
  text(): Promise<string> {
    const all = [...this.known].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, results]) => results)
    const metrics: readonly Metric[] = [
      {
        name: "kubernetes_healthcheck",
        type: "gauge",
        help: "The latest result of a health check: 1 when it passed.",
        samples: all.map(({ isHealthy, name, type }) => [`name="${name}",type="${type}"`, isHealthy ? 1 : 0] as const),
      },
      {
        name: "kubernetes_healthchecks_total",
        type: "counter",
        help: "Results of health checks so far.",
        samples: all.flatMap(({ name, type, ...counts }) =>
          (["error", "success"] as const).flatMap((status) =>
            counts[status] === 0 ? [] : [[`name="${name}",status="${status}",type="${type}"`, counts[status]] as const],
          ),
        ),
      },
    ]
    return textOf(metrics)
  }
}
