import { describe, expect, test } from "vitest"
import { podShape } from "../../../generated/core/v1/pod/shape.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { ContainerStatus } from "../../../generated/core/v1/shared/pod-status/types.ts"
import { decoded, type Part } from "../../../test/support/decoded.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { podStatus as cell } from "./pod-status.ts"

const nowMs = Date.parse("2024-05-01T12:00:00Z")

type Spec = Part<Pod["spec"]>
type Status = Part<Pod["status"]>

function cells(spec: Spec, status: Status, metadata: Pod["metadata"] = {}): JsonValue {
  return cell(decoded<Pod>(podShape, { metadata, spec, status }), { nowMs, vendor: vendorProfile("orch") })
}

const one: Spec = { containers: [{ name: "a" }] }
const withInit: Spec = { containers: [{ name: "a" }], initContainers: [{ name: "i" }, { name: "s", restartPolicy: "Always" }] }
const running: Part<ContainerStatus> = { name: "a", ready: true, restartCount: 0, state: { running: {} } }

describe("pod cells", () => {
  test.each<[string, Spec, Status, JsonObject]>([
    ["new", one, { phase: "Pending" }, { ready: "0/1", reason: "Pending", restarts: "0", readinessGates: "<none>" }],
    ["running", one, { phase: "Running", containerStatuses: [running] }, { ready: "1/1", reason: "Running" }],
    [
      "held back",
      one,
      { phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] },
      { reason: "SchedulingGated" },
    ],
    ["evicted", one, { phase: "Failed", reason: "Evicted" }, { reason: "Evicted" }],
    [
      "crashing",
      one,
      {
        containerStatuses: [
          {
            restartCount: 3,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { finishedAt: "2024-05-01T11:55:00Z" } },
          },
        ],
      },
      { ready: "0/1", reason: "CrashLoopBackOff", restarts: "3 (5m ago)" },
    ],
    ["ended by signal", one, { containerStatuses: [{ state: { terminated: { exitCode: 1, signal: 9 } } }] }, { reason: "Signal:9" }],
    ["ended with a code", one, { containerStatuses: [{ state: { terminated: { exitCode: 2 } } }] }, { reason: "ExitCode:2" }],
    [
      "first trouble wins",
      one,
      { containerStatuses: [{ state: { waiting: { reason: "First" } } }, { state: { waiting: { reason: "Second" } } }] },
      { reason: "First" },
    ],
    [
      "one done, one runs",
      { containers: [{ name: "a" }, { name: "b" }] },
      {
        containerStatuses: [running, { name: "b", state: { terminated: { reason: "Completed", exitCode: 0 } } }],
        conditions: [{ type: "Ready", status: "False" }],
      },
      { ready: "1/2", reason: "NotReady" },
    ],
    [
      "initializing",
      withInit,
      { phase: "Pending", initContainerStatuses: [{ name: "i", state: { running: {} } }] },
      { ready: "0/2", reason: "Init:0/2" },
    ],
    [
      "init waits",
      withInit,
      { initContainerStatuses: [{ name: "i", state: { waiting: { reason: "ImagePullBackOff" } } }] },
      { reason: "Init:ImagePullBackOff" },
    ],
    [
      "init failed",
      withInit,
      { initContainerStatuses: [{ name: "i", restartCount: 1, state: { terminated: { exitCode: 3 } } }] },
      { reason: "Init:ExitCode:3", restarts: "1" },
    ],
    [
      "sidecar runs",
      withInit,
      {
        phase: "Running",
        initContainerStatuses: [
          { name: "i", restartCount: 4, state: { terminated: { exitCode: 0 } } },
          { name: "s", restartCount: 2, started: true, ready: true, state: { running: {} } },
        ],
        containerStatuses: [running],
      },
      { ready: "2/2", reason: "Running", restarts: "2" },
    ],
    [
      "gates",
      { containers: [{ name: "a" }], readinessGates: [{ conditionType: "x/a" }, { conditionType: "x/b" }] },
      { conditions: [{ type: "x/a", status: "True" }] },
      { readinessGates: "1/2" },
    ],
  ])("%s", (_name, spec, status, expected) => expect(cells(spec, status)).toMatchObject(expected))

  test("a pod that is being deleted", () => {
    const metadata = { deletionTimestamp: "2024-05-01T12:00:00Z" }
    expect(cells(one, { phase: "Running", containerStatuses: [running] }, metadata)).toMatchObject({ reason: "Terminating" })
    expect(cells(one, { reason: "NodeLost" }, metadata)).toMatchObject({ reason: "Unknown" })
  })
})
