/**
 * Allocates cluster addresses and node ports of services (catalog resources.yaml: services; defaults.yaml: Service).
 * They are allocated and released in the commit that writes the service, on the condition that the range did not change
 * meanwhile. So no two servers can allocate the same number, and none leaks when a server dies.
 */
import { invalid } from "../base/errors.ts"
import type { BehaviourDeps, ChangeContext, CommitOps } from "../schema/behaviour.ts"
import { deepClone } from "../encoding/field-path.ts"
import { Failures } from "../base/failure.ts"
import { Semaphore } from "../base/semaphore.ts"
import { defineBehaviour } from "../schema/define.ts"
import type { Service, ServiceSpec } from "../../generated/core/v1/service/types.ts"
import { allocateAddresses, allocateNodePorts, releaseUnused } from "./services/allocate.ts"
import { carryOver, dropInternalPolicy, dropUnneeded, syncAddresses } from "./services/carry-over.ts"
import { fillFamilies } from "./services/families.ts"
import { holdingsOf, inOrder } from "./services/fields.ts"
import { RangeAllocators } from "./services/ledgers.ts"
import { type IpFamily, type ServiceRanges, serviceRanges } from "./services/ranges.ts"
import { refuseImpossible } from "./services/impossible.ts"

/** Behaviour `serviceAllocation`. Throws at start when the options have no ranges. */
export const serviceAllocation = defineBehaviour<Service>((deps) => {
  const ranges = serviceRanges(deps.options)
  const families: readonly IpFamily[] = [...ranges.addresses.keys()]
  const turn = new Semaphore(1)
  return {
    companion: "endpoints",
    prepareCreate(object, { failures, dryRun }) {
      object.status = { loadBalancer: {} }
      // Every attempt shares the client's spec.
      const spec = deepClone(object.spec)
      syncAddresses(spec)
      dropInternalPolicy(spec)
      fillFamilies(spec, { cluster: families, failures })
      if (failures.empty) refuseImpossible(spec, { ranges, dryRun, failures })
      // The reference reports these alone, before it validates.
      if (!failures.empty) failures.end()
      object.spec = inOrder(spec)
    },
    prepareUpdate(object, old, { subresource, failures, dryRun }) {
      if (subresource !== undefined) return
      const [spec, before] = [object.spec, old.spec]
      carryOver(spec, before)
      dropUnneeded(spec, before)
      dropInternalPolicy(spec)
      fillFamilies(spec, { cluster: families, old: before, failures })
      if (failures.empty) refuseImpossible(spec, { ranges, old: before, dryRun, failures })
      // The reference reports these alone, before it validates.
      if (!failures.empty) failures.end()
      object.spec = inOrder(spec)
      dropBalancer(object, spec, before)
    },
    async commit(change, context) {
      const leave = { call: (): void => {} }
      const ledgers = new RangeAllocators(deps, async () => {
        if (context.dryRun) return
        await turn.take()
        let isHeld = true
        leave.call = () => {
          if (isHeld) turn.release()
          isHeld = false
        }
      })
      try {
        const ops = await ridersOf(change, { deps, ranges, ledgers, context })
        if (ops.checks.length > 0 && !context.dryRun) return { ...ops, settled: leave.call }
        leave.call()
        return ops.writes.length === 0 || context.dryRun ? undefined : ops
      } catch (error) {
        leave.call()
        throw error
      }
    },
  }
})

async function ridersOf(
  change: { object?: Service; old?: Service },
  scope: { deps: BehaviourDeps; ranges: ServiceRanges; ledgers: RangeAllocators; context: ChangeContext },
): Promise<CommitOps> {
  const { deps, ranges, ledgers } = scope
  const { object, old } = change
  const before = holdingsOf(old)
  if (object === undefined) {
    await releaseUnused({ ranges, ledgers, before }, holdingsOf(undefined))
    return ledgers.ops()
  }
  const { spec } = object
  if (scope.context.subresource !== undefined) return { checks: [], writes: [] }
  const failures = new Failures()
  const allocation = { ranges, ledgers, before, failures, random: deps.random, dryRun: scope.context.dryRun }
  await allocateAddresses(spec, allocation)
  if (failures.empty) await allocateNodePorts(spec, allocation)
  if (!failures.empty) throw invalid({ group: "", resource: "Service", name: object.metadata.name ?? "" }, failures.list)
  await releaseUnused(allocation, holdingsOf(object))
  object.spec = inOrder(spec)
  return ledgers.ops()
}

/** A service without a load balancer has no load balancer status. */
function dropBalancer(service: Service, spec: ServiceSpec, before: ServiceSpec): void {
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} }
}
