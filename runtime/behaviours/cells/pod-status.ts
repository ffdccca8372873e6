/**
 * The Ready, Status, Restarts and Readiness Gates cells of a pod, computed together from its containers (catalog
 * tables.yaml, podStatus).
 */
import { humanDuration } from "../../schema/cells.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import type { CellContext } from "../../schema/kind.ts"
import { isSidecar, listOf, numberOf, objectAt, textOf } from "../pods/fields.ts"

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
export function podStatus(pod: ApiObject, context: CellContext): JsonObject {
  const [spec, status] = [objectAt(pod, "spec"), objectAt(pod, "status")]
  const sidecars = new Set(
    listOf(spec, "initContainers")
      .filter(isSidecar)
      .map((container) => textOf(container, "name")),
  )
  const total = listOf(spec, "containers").length + sidecars.size
  const init = summarizeInit(spec, status, sidecars)
  let reason = init.reason ?? baseReason(status)
  let [restarts, ready] = [init.all, init.ready]
  if (init.reason === undefined || conditionStatus(status, "Initialized") === "True") {
    const main = summarizeMain(status, reason)
    reason = main.reason
    restarts = plus(init.sidecars, main.restarts)
    ready += main.ready
  }
  if (pod.metadata?.deletionTimestamp !== undefined) reason = textOf(status, "reason") === "NodeLost" ? "Unknown" : "Terminating"
  return { ready: `${ready}/${total}`, reason, restarts: restartsText(restarts, context.nowMs), readinessGates: gatesText(spec, status) }
}

function baseReason(status: JsonObject | undefined): string {
  const gated = listOf(status, "conditions").some(
    (condition) => condition["type"] === "PodScheduled" && condition["reason"] === "SchedulingGated",
  )
  return gated ? "SchedulingGated" : textOf(status, "reason") || textOf(status, "phase")
}

function conditionStatus(status: JsonObject | undefined, type: string): string {
  return textOf(
    listOf(status, "conditions").find((condition) => condition["type"] === type),
    "status",
  )
}

function restartsOf(container: JsonObject): Restarts {
  const finished = Date.parse(textOf(objectAt(container, "lastState", "terminated"), "finishedAt"))
  return { count: numberOf(container, "restartCount") ?? 0, lastMs: Number.isNaN(finished) ? 0 : finished }
}

function plus(left: Restarts, right: Restarts): Restarts {
  return { count: left.count + right.count, lastMs: Math.max(left.lastMs, right.lastMs) }
}

/** Init containers run in order, so the first unfinished one is the reason why the pod waits. */
function summarizeInit(spec: JsonObject | undefined, status: JsonObject | undefined, sidecars: ReadonlySet<string>): InitSummary {
  let [all, ofSidecars, ready] = [never, never, 0]
  for (const [index, container] of listOf(status, "initContainerStatuses").entries()) {
    const isSidecarStatus = sidecars.has(textOf(container, "name"))
    all = plus(all, restartsOf(container))
    if (isSidecarStatus) ofSidecars = plus(ofSidecars, restartsOf(container))
    const terminated = objectAt(container, "state", "terminated")
    if (terminated !== undefined && (numberOf(terminated, "exitCode") ?? 0) === 0) continue
    if (isSidecarStatus && container["started"] === true) {
      if (container["ready"] === true) ready += 1
      continue
    }
    const reason = `Init:${initReason(container, terminated) ?? `${index}/${listOf(spec, "initContainers").length}`}`
    return { reason, ready, all, sidecars: ofSidecars }
  }
  return { reason: undefined, ready, all, sidecars: ofSidecars }
}

function initReason(container: JsonObject, terminated: JsonObject | undefined): string | undefined {
  if (terminated !== undefined) return terminationReason(terminated)
  const waiting = textOf(objectAt(container, "state", "waiting"), "reason")
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting
}

function terminationReason(terminated: JsonObject): string {
  const signal = numberOf(terminated, "signal") ?? 0
  return textOf(terminated, "reason") || (signal === 0 ? `ExitCode:${numberOf(terminated, "exitCode") ?? 0}` : `Signal:${signal}`)
}

/** Iterates from the last container to the first, so the reason of the first failing container is shown. */
function summarizeMain(status: JsonObject | undefined, initial: string): { reason: string; ready: number; restarts: Restarts } {
  let [reason, ready, restarts, running] = [initial, 0, never, false]
  for (const container of listOf(status, "containerStatuses").toReversed()) {
    restarts = plus(restarts, restartsOf(container))
    const waiting = textOf(objectAt(container, "state", "waiting"), "reason")
    const terminated = objectAt(container, "state", "terminated")
    if (waiting !== "") reason = waiting
    else if (terminated !== undefined) reason = terminationReason(terminated)
    else if (container["ready"] === true && objectAt(container, "state", "running") !== undefined) {
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

function gatesText(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = listOf(spec, "readinessGates")
  if (gates.length === 0) return "<none>"
  const statuses = new Map<string, string>()
  for (const condition of listOf(status, "conditions")) {
    const type = textOf(condition, "type")
    if (!statuses.has(type)) statuses.set(type, textOf(condition, "status"))
  }
  const passed = gates.filter((gate) => statuses.get(textOf(gate, "conditionType")) === "True")
  return `${passed.length}/${gates.length}`
}
