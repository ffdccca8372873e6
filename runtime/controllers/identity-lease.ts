/**
 * The Lease that identifies a server of a cluster, and the deletion of Leases whose servers are gone (catalog
 * operations.yaml: identity leases; periods, names and labels are the reference's).
 */
import { serverUser } from "../admission/server-identity.ts"
import { microTimeText } from "../base/time.ts"
import { Turns } from "../base/turns.ts"
import { keyWork } from "../base/work.ts"
import { errorText } from "../base/error-text.ts"
import { labelValueFaults } from "../schema/names.ts"
import type { ControllerDeps, Controller } from "./controller.ts"
import { instantMs } from "./instant-ms.ts"
import { runEvery } from "./interval.ts"
import { isRefusal, orGone, orUndefined } from "./refusals.ts"

const renewMs = 10_000
const retryMs = 1000
/** Seconds for which a silent server counts as alive; also the interval of the search for expired Leases. */
const leaseSeconds = 3600
const collectMs = leaseSeconds * 1000

/** Neutral name of the label, and its value: the component that the Lease identifies. */
const identityLabel = "apiserver.orch.io/identity"
const identityValue = "kube-apiserver"
const hostLabel = "orch.io/hostname"

/** The identity of a server. */
export interface ServerIdentity {
  /** The name of its Lease, which is the same after a restart. */
  readonly name: string
  readonly host: string
  /** Unique among all servers and their runs. */
  readonly run: string
}

export interface IdentityLease extends Controller {
  /** Resolves when the Lease exists for the first time. */
  readonly made: Promise<void>
}

/** Called once by each server, when the system namespace exists. */
export function startIdentityLease(deps: ControllerDeps, identity: ServerIdentity): IdentityLease {
  const { clock, log } = deps
  let finish: () => void = () => undefined
  const made = new Promise<void>((resolve) => {
    finish = resolve
  })
  const renewing = runEvery({
    clock,
    intervalMs: renewMs,
    retryMs,
    atOnce: true,
    async task() {
      await renew(deps, identity)
      finish()
    },
    onError: (error) => log.warn({ error: errorText(error) }, "the Lease of this server could not be renewed; tried again later"),
  })
  const collecting = runEvery({
    clock,
    intervalMs: collectMs,
    atOnce: true,
    task: () => collect(deps),
    onError: (error) => log.warn({ error: errorText(error) }, "Leases of servers that are gone could not be looked for; tried again later"),
  })
  return {
    made,
    async stop() {
      await Promise.all([renewing.stop(), collecting.stop()])
    },
  }
}

async function renew({ api, clock, registry }: ControllerDeps, { name, host, run }: ServerIdentity): Promise<void> {
  const { vendor } = registry.deps
  const namespace = vendor.namespace("orch-system")
  const { leases } = api(serverUser).coordination.v1
  const renewTime = microTimeText(clock.nowMs())
  const labels = {
    [vendor.domain(identityLabel)]: identityValue,
    ...(labelValueFaults(host).length === 0 && { [vendor.domain(hostLabel)]: host }),
  }
  const spec = { holderIdentity: `${name}_${run}`, leaseDurationSeconds: leaseSeconds, renewTime }
  const change = async (): Promise<unknown> => orUndefined(leases.patch(namespace, name, { metadata: { labels }, spec }))
  if ((await change()) !== undefined) return
  try {
    await leases.create(namespace, { metadata: { name, labels }, spec })
  } catch (error) {
    if (!isRefusal(error, "AlreadyExists")) throw error
    await change()
  }
}

/** Deletes Leases that their servers have not renewed in time. */
async function collect({ api, clock, registry }: ControllerDeps): Promise<void> {
  const { vendor } = registry.deps
  const namespace = vendor.namespace("orch-system")
  const { leases } = api(serverUser).coordination.v1
  const { items } = await leases.list(namespace, { labelSelector: `${vendor.domain(identityLabel)}=${identityValue}` })
  const turns = new Turns()
  for (const { metadata, spec } of items) {
    if (turns.isOver(keyWork)) await turns.next()
    if (!isExpired(spec, clock.nowMs())) continue
    const { name = "", uid = "", resourceVersion = "" } = metadata
    await orGone(leases.delete(namespace, name, { preconditions: { uid, resourceVersion } }))
  }
}

interface Term {
  readonly renewTime?: string | null
  readonly leaseDurationSeconds?: number
}

/** A Lease without a duration belongs to no server, and counts as expired. */
function isExpired({ renewTime, leaseDurationSeconds }: Term, nowMs: number): boolean {
  const renewedMs = instantMs(renewTime ?? undefined)
  if (renewedMs === undefined || leaseDurationSeconds === undefined) return true
  return renewedMs + leaseDurationSeconds * 1000 < nowMs
}
