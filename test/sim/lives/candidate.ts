/**
 * One candidate of an election by Lease, as client libraries implement it: the holder of the Lease renews it; the
 * others wait until it has not changed for its duration.
 */
import { type ApiObject, isObject } from "../../../runtime/base/json.ts"
import type { SimResponse } from "../ask.ts"
import type { Belief, ObjectCall } from "./history.ts"
import { home } from "./steps.ts"
import type { Place } from "./stored-objects.ts"

/** Time that a silent holder keeps the Lease. */
export const leaseMs = 15_000

const place: Place = { resource: "leases", namespace: home, name: "election" }
const collection = `/apis/coordination.orch.io/v1/namespaces/${home}/leases`

interface LeaseCall extends Place {
  readonly act: ObjectCall["act"]
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

interface CandidateDeps {
  /** Elapsed time: candidates measure it and trust no wall clock. */
  elapsedMs(): number
  call(server: number, wanted: LeaseCall): Promise<SimResponse | undefined>
  believes(belief: Belief): void
}

export class Candidate {
  private seen: { readonly version: string; readonly atMs: number } | undefined
  private busy = false
  private renewals = 0

  constructor(
    private readonly name: string,
    private readonly deps: CandidateDeps,
  ) {}

  /** Reads the Lease, and takes or renews it if allowed. */
  async round(server: number): Promise<void> {
    if (this.busy) return
    this.busy = true
    try {
      const answer = await this.deps.call(server, { act: "get", ...place, method: "GET", path: `${collection}/${place.name}` })
      if (answer?.status === 404)
        await this.write(server, { act: "create", ...place, method: "POST", path: collection, body: this.lease() })
      else if (answer?.status === 200 && isObject(answer.body)) await this.consider(server, answer.body)
    } finally {
      this.busy = false
    }
  }

  private async consider(server: number, lease: ApiObject): Promise<void> {
    const { deps, name } = this
    const version = lease.metadata?.resourceVersion ?? ""
    if (this.seen?.version !== version) this.seen = { version, atMs: deps.elapsedMs() }
    const holds = isObject(lease.spec) && lease.spec.holderIdentity === name
    if (!holds && deps.elapsedMs() < this.seen.atMs + leaseMs) return
    const body = this.lease({ resourceVersion: version })
    await this.write(server, { act: "change", ...place, method: "PUT", path: `${collection}/${place.name}`, body })
  }

  /** An acknowledged write makes a leader, from the moment of sending; nothing else does. */
  private async write(server: number, wanted: LeaseCall): Promise<void> {
    const { deps, name } = this
    const sentMs = deps.elapsedMs()
    const answer = await deps.call(server, wanted)
    if (answer?.status === 200 || answer?.status === 201)
      deps.believes({ candidate: name, fromMs: deps.elapsedMs(), untilMs: sentMs + leaseMs })
  }

  private lease(metadata: { resourceVersion?: string } = {}): unknown {
    const spec = { holderIdentity: this.name, leaseDurationSeconds: leaseMs / 1000, leaseTransitions: ++this.renewals }
    return { metadata: { name: place.name, ...metadata }, spec }
  }
}
