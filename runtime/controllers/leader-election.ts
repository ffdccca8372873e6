/**
 * Leader election among the servers of a shared store. One of them runs the controllers that serve all: it holds a
 * Lease, as the components of a control plane do (catalog operations.yaml; the periods are those of client-go). Two
 * leaders at once, briefly or through a wrong clock, do no harm, because controllers write conditionally. The Lease
 * only avoids doing the work twice.
 */
import { serverAttributes, serverUser } from "../admission/server-identity.ts"
import { ApiError } from "../base/errors.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { isObject } from "../base/json.ts"
import { formatMicroTime } from "../base/time.ts"
import { ownObject } from "../registry/own-object.ts"
import { updateObject } from "../registry/update.ts"
import type { Clock } from "../base/clock.ts"
import type { Registry } from "../registry/registry.ts"
import { runEvery } from "./interval.ts"
import { type ControllerDeps, type Controller, errorText } from "./controller.ts"

/** Name of the Lease in the system namespace. */
export const leaderLeaseName = "orch-apiserver"

/** How long the others wait for a silent leader. */
const leaseSeconds = 15
/** Interval at which a leader renews and the others check. */
export const leaderRetryMs = 2000
/** A leader that could not renew for this long stops, before another one starts. */
const renewDeadlineMs = 10_000
/**
 * Checks of an unchanged Lease after which its holder counts as gone. Counting checks instead of comparing times keeps
 * clock steps from ending a leader's term.
 */
const unchangedChecksMax = Math.ceil((leaseSeconds * 1000) / leaderRetryMs) + 1

/** Another server holds the Lease. */
class LeaseHeldError extends Error {}

/**
 * Called once by each server of a shared store. `identity` must differ from that of every other server and of earlier
 * runs of this one. Calls `start` whenever this server becomes the leader, and stops the controllers when it no longer
 * is. Stopping releases the Lease.
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
  private readonly registry: Registry
  private readonly clock: Clock
  /** The version of the Lease when another server was last seen holding it, and the number of checks since. */
  private seen = { version: "", looks: 0 }

  constructor(
    deps: ControllerDeps,
    private readonly identity: string,
  ) {
    this.registry = deps.registry
    this.clock = deps.clock
  }

  /** Takes or renews the Lease. Resolves with whether this server holds it now. Passes on errors of the store. */
  async acquireOrRenew(): Promise<boolean> {
    return this.write((old) => this.held(old))
  }

  /** Releases the Lease, so that the others need not wait until it expires. */
  async release(): Promise<void> {
    await this.write((old) => {
      const spec = specOf(old)
      if (old === undefined || spec.holderIdentity !== this.identity) throw new LeaseHeldError()
      return { ...old, spec: { ...spec, holderIdentity: "", leaseDurationSeconds: 1 } }
    })
  }

  private held(old: ApiObject | undefined): ApiObject {
    const before = specOf(old)
    const isOurs = before.holderIdentity === this.identity
    if (!isOurs && this.isAlive(old, before)) throw new LeaseHeldError()
    const now = microTime(this.clock.nowMs())
    const taken = { holderIdentity: this.identity, leaseDurationSeconds: leaseSeconds, renewTime: now }
    if (old === undefined) return { metadata: { name: leaderLeaseName }, spec: { ...taken, acquireTime: now, leaseTransitions: 0 } }
    const transitions = typeof before.leaseTransitions === "number" ? before.leaseTransitions : 0
    const since = isOurs ? {} : { acquireTime: now, leaseTransitions: transitions + 1 }
    return { ...old, spec: { ...before, ...taken, ...since } }
  }

  /** Whether the other server that holds the Lease may still be leading. */
  private isAlive(old: ApiObject | undefined, spec: JsonObject): boolean {
    if (old === undefined || (spec.holderIdentity ?? "") === "") return false
    const version = old.metadata?.resourceVersion ?? ""
    this.seen = version === this.seen.version ? { version, looks: this.seen.looks + 1 } : { version, looks: 0 }
    return this.seen.looks < unchangedChecksMax
  }

  private async write(transform: (old: ApiObject | undefined) => ApiObject): Promise<boolean> {
    const kind = this.registry.deps.kinds.find("coordination.orch.io", "v1", "leases")
    if (kind === undefined) return true
    const handle = await this.registry.handle(kind)
    const namespace = this.registry.deps.vendor.namespace("orch-system")
    const whole = (old: ApiObject | undefined): ApiObject => ownObject(this.registry, handle, transform(old))
    const request = {
      attributes: serverAttributes(serverUser, "UPDATE", { kind, namespace, name: leaderLeaseName }),
      transform: whole,
      creates: true,
      put: false,
      warn: () => {},
    }
    try {
      await updateObject(this.registry, handle, request)
      return true
    } catch (error) {
      if (error instanceof LeaseHeldError) return false
      // The namespace is created at the first start on a store. A server that was faster is noticed at the next check.
      if (error instanceof ApiError && (error.reason === "NotFound" || error.reason === "Conflict")) return false
      throw error
    }
  }
}

function specOf(lease: ApiObject | undefined): JsonObject {
  return isObject(lease?.spec) ? lease.spec : {}
}

function microTime(nowMs: number): string {
  return formatMicroTime({ seconds: Math.floor(nowMs / 1000), nanos: (nowMs % 1000) * 1_000_000 })
}
