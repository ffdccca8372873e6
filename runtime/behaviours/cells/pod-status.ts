/**
 * The Ready, Status, Restarts and Readiness Gates cells of a pod, computed together from its containers (catalog
 * tables.yaml, podStatus).
 */
import { humanDuration } from "../../schema/human-duration.ts"
import { defineCell } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { ContainerStateTerminated, ContainerStatus, PodStatus } from "../../../generated/core/v1/shared/pod-status/types.ts"
import { isSidecar } from "../pods/fields.ts"

/** The number of restarts of some containers, and when the last of them ended, in milliseconds; 0: never. */
interface Restarts {
  readonly count: number
  readonly lastMs: number
}

interface InitSummary {
  /** Why the pod is still initializing; undefined once initialization is complete. */
  readonly reason: string | undefined
  readonly ready: number
  readonly all: Restarts
  readonly sidecars: Restarts
}

const never: Restarts = { count: 0, lastMs: 0 }

/** Called for each row of a Table of pods: `{ready: "1/2", reason, restarts: "3 (5m ago)", readinessGates: "1/1"}`. */
export const podStatus = defineCell<Pod>(({ metadata, spec, status }, context) => {
  const sidecars = new Set(spec.initContainers?.filter(isSidecar).map((container) => container.name))
  // The required list is null in a pod that no validator has seen: one stored by another program.
  const total = (spec.containers ?? []).length + sidecars.size
  const init = summarizeInit(spec, status, sidecars)
  let reason = init.reason ?? baseReason(status)
  let [restarts, ready] = [init.all, init.ready]
  if (init.reason === undefined || conditionStatus(status, "Initialized") === "True") {
    const main = summarizeMain(status, reason)
    reason = main.reason
    restarts = plus(init.sidecars, main.restarts)
    ready += main.ready
  }
  if (metadata.deletionTimestamp !== undefined) reason = status.reason === "NodeLost" ? "Unknown" : "Terminating"
  return { ready: `${ready}/${total}`, reason, restarts: restartsText(restarts, context.nowMs), readinessGates: gatesText(spec, status) }
})

function baseReason(status: PodStatus): string {
  const gated = (status.conditions ?? []).some((condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated")
  return gated ? "SchedulingGated" : (status.reason ?? status.phase ?? "")
}

function conditionStatus(status: PodStatus, type: string): string {
  return status.conditions?.find((condition) => condition.type === type)?.status ?? ""
}

function restartsOf(container: ContainerStatus): Restarts {
  const finished = Date.parse(container.lastState.terminated?.finishedAt ?? "")
  return { count: container.restartCount, lastMs: Number.isNaN(finished) ? 0 : finished }
}

function plus(left: Restarts, right: Restarts): Restarts {
  return { count: left.count + right.count, lastMs: Math.max(left.lastMs, right.lastMs) }
}

/** Init containers run in order, so the first unfinished one is the reason why the pod waits. */
function summarizeInit(spec: PodSpec, status: PodStatus, sidecars: ReadonlySet<string>): InitSummary {
  let [all, ofSidecars, ready] = [never, never, 0]
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const isSidecarStatus = sidecars.has(container.name)
    all = plus(all, restartsOf(container))
    if (isSidecarStatus) ofSidecars = plus(ofSidecars, restartsOf(container))
    const { terminated } = container.state
    if (terminated !== undefined && terminated.exitCode === 0) continue
    if (isSidecarStatus && container.started === true) {
      if (container.ready === true) ready += 1
      continue
    }
    const reason = `Init:${initReason(container, terminated) ?? `${index}/${(spec.initContainers ?? []).length}`}`
    return { reason, ready, all, sidecars: ofSidecars }
  }
  return { reason: undefined, ready, all, sidecars: ofSidecars }
}

function initReason(container: ContainerStatus, terminated: ContainerStateTerminated | undefined): string | undefined {
  if (terminated !== undefined) return terminationReason(terminated)
  const waiting = container.state.waiting?.reason ?? ""
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting
}

function terminationReason(terminated: ContainerStateTerminated): string {
  const { exitCode, reason, signal = 0 } = terminated
  return reason ?? (signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`)
}

/** Iterates from the last container to the first, so the reason of the first failing container is shown. */
function summarizeMain(status: PodStatus, initial: string): { reason: string; ready: number; restarts: Restarts } {
  let [reason, ready, restarts, running] = [initial, 0, never, false]
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    restarts = plus(restarts, restartsOf(container))
    const waiting = container.state.waiting?.reason ?? ""
    const { terminated } = container.state
    if (waiting !== "") reason = waiting
    else if (terminated !== undefined) reason = terminationReason(terminated)
    else if (container.ready === true && container.state.running !== undefined) {
      running = true
      ready += 1
    }
  }
  if (reason === "Completed" && running) reason = conditionStatus(status, "Ready") === "True" ? "Running" : "NotReady"
  return { reason, ready, restarts }
}

function restartsText({ count, lastMs }: Restarts, nowMs: number): string {
  return count === 0 || lastMs === 0 ? String(count) : `${count} (${humanDuration(nowMs - lastMs)} ago)`
}

function gatesText(spec: PodSpec, status: PodStatus): string {
  const gates = spec.readinessGates ?? []
  if (gates.length === 0) return "<none>"
  const statuses = new Map<string, string>()
  for (const condition of status.conditions ?? []) {
    if (!statuses.has(condition.type)) statuses.set(condition.type, condition.status)
  }
  const passed = gates.filter((gate) => statuses.get(gate.conditionType) === "True")
  return `${passed.length}/${gates.length}`
}
