/**
 * Leader election among the servers of a shared store. The leader runs the controllers for all of them. It holds a
 * Lease, like the components of a control plane (catalog operations.yaml; the periods are client-go's). Two leaders at
 * once, briefly or through a wrong clock, do no harm, because controllers write conditionally. The Lease only avoids
 * doing the work twice.
 */
import type { Lease, LeaseSpec } from "../../generated/coordination.orch.io/v1/lease/types.ts"
import { serverUser } from "../admission/server-identity.ts"
import { ApiError } from "../base/errors.ts"
import { microTimeText } from "../base/time.ts"
import type { Clock } from "../base/clock.ts"
import { runEvery } from "./interval.ts"
import { errorText } from "../base/error-text.ts"
import type { ControllerDeps, Controller, SystemApi } from "./controller.ts"

/** Name of the Lease in the system namespace. */
export const leaderLeaseName = "orch-apiserver"

/** Seconds for which the others wait for a silent leader. */
const leaseSeconds = 15
/** Interval at which a leader renews and the others check. */
export const leaderRetryMs = 2000
/** Milliseconds after which a leader that could not renew stops, before another one starts. */
export const renewDeadlineMs = 10_000
/**
 * Checks of an unchanged Lease after which its holder counts as gone. Counting checks instead of comparing times keeps
 * clock steps from ending a leader's term.
 */
const unchangedChecksMax = Math.ceil((leaseSeconds * 1000) / leaderRetryMs) + 1

/**
 * Called once by each server of a shared store. `identity` must be unique among all servers and their runs. Calls
 * `start` whenever this server becomes the leader, and stops the controllers when it no longer is. Stopping releases
 * the Lease.
 */
export function startLeaderElection(deps: ControllerDeps, options: { identity: string; start: () => Controller }): Controller {
  const { clock, log } = deps
  const candidate = new Candidate(deps, options.identity)
  const term = new Term(clock, options.start)
  const looking = runEvery({
    clock,
    intervalMs: leaderRetryMs,
    atOnce: true,
    async task() {
      if (await candidate.acquireOrRenew()) await term.renew()
      else term.end()
    },
    onError: (error) =>
      log.warn({ error: errorText(error) }, "the lease of the leader among servers could not be looked at; tried again later"),
  })
  return {
    async stop() {
      await looking.stop()
      const led = term.end()
      await term.ended()
      // If releasing fails, the others only wait a while longer.
      if (led) await candidate.release().catch(() => undefined)
    },
  }
}

/** The period for which this server leads. */
class Term {
  private controllers: Controller | undefined
  private ending: Promise<void> = Promise.resolve()
  private cancelDeadline = (): void => {}

  constructor(
    private readonly clock: Clock,
    private readonly start: () => Controller,
  ) {}

  /** Called after each renewal of the Lease. */
  async renew(): Promise<void> {
    this.cancelDeadline()
    let isOver = false
    this.cancelDeadline = this.clock.after(renewDeadlineMs, () => {
      isOver = true
      this.end()
    })
    await this.ending
    // The controllers of the previous term may take longer to stop than the Lease is held for.
    if (!isOver) this.controllers ??= this.start()
  }

  /** Ends the term. Returns whether this server led. */
  end(): boolean {
    this.cancelDeadline()
    const { controllers } = this
    if (controllers === undefined) return false
    this.controllers = undefined
    this.ending = controllers.stop()
    return true
  }

  ended(): Promise<void> {
    return this.ending
  }
}

/** One server's view of the Lease. */
class Candidate {
  private readonly leases: SystemApi["coordination"]["v1"]["leases"]
  private readonly namespace: string
  private readonly isServed: boolean
  private readonly clock: Clock
  /** The version of the Lease when another server was last seen holding it, and the number of checks since. */
  private seen = { version: "", looks: 0 }

  constructor(
    { registry, clock, api }: ControllerDeps,
    private readonly identity: string,
  ) {
    this.leases = api(serverUser).coordination.v1.leases
    this.namespace = registry.deps.vendor.namespace("orch-system")
    this.isServed = registry.deps.kinds.find("coordination.orch.io", "v1", "leases") !== undefined
    this.clock = clock
  }

  /** Takes or renews the Lease. Resolves with whether this server holds it now. Passes on errors of the store. */
  async acquireOrRenew(): Promise<boolean> {
    if (!this.isServed) return true
    return isOurs(async () => {
      const old = await this.current()
      const spec = this.heldBy(old)
      if (spec === undefined) return false
      if (old === undefined) await this.leases.create(this.namespace, { metadata: { name: leaderLeaseName }, spec })
      else await this.leases.update(this.namespace, { ...old, spec })
      return true
    })
  }

  /** Releases the Lease, so that the others need not wait until it expires. */
  async release(): Promise<void> {
    await isOurs(async () => {
      const old = await this.current()
      if (old?.spec.holderIdentity !== this.identity) return false
      const spec = { ...old.spec, holderIdentity: "", leaseDurationSeconds: 1 }
      await this.leases.update(this.namespace, { ...old, spec })
      return true
    })
  }

  private async current(): Promise<Lease | undefined> {
    try {
      return await this.leases.get(this.namespace, leaderLeaseName)
    } catch (error) {
      if (error instanceof ApiError && error.reason === "NotFound") return undefined
      throw error
    }
  }

  /** The content of the Lease once this server holds it; undefined while another server does. */
  private heldBy(old: Lease | undefined): LeaseSpec | undefined {
    const before = old?.spec
    const wasOurs = before?.holderIdentity === this.identity
    if (!wasOurs && this.isAlive(old)) return undefined
    const now = microTimeText(this.clock.nowMs())
    const taken = { holderIdentity: this.identity, leaseDurationSeconds: leaseSeconds, renewTime: now }
    if (before === undefined) return { ...taken, acquireTime: now, leaseTransitions: 0 }
    const since = wasOurs ? {} : { acquireTime: now, leaseTransitions: (before.leaseTransitions ?? 0) + 1 }
    return { ...before, ...taken, ...since }
  }

  /** Whether the other server that holds the Lease may still be leading. */
  private isAlive(old: Lease | undefined): boolean {
    if (old === undefined || (old.spec.holderIdentity ?? "") === "") return false
    const version = old.metadata.resourceVersion ?? ""
    this.seen = version === this.seen.version ? { version, looks: this.seen.looks + 1 } : { version, looks: 0 }
    return this.seen.looks < unchangedChecksMax
  }
}

/**
 * Resolves with false when another server was faster, which is noticed at the next check, or when the namespace does
 * not exist yet: it is created at the first start on a store.
 */
async function isOurs(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ApiError && ["AlreadyExists", "Conflict", "NotFound"].includes(error.reason)) return false
    throw error
  }
}
