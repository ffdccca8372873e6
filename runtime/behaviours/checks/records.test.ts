import { expect, test } from "vitest"
import { endpointSubsetShape } from "../../../generated/core/v1/endpoints/shape.ts"
import { eventShape as coreEventShape } from "../../../generated/core/v1/event/shape.ts"
import { nodeShape } from "../../../generated/core/v1/node/shape.ts"
import { eventShape } from "../../../generated/events.orch.io/v1/event/shape.ts"
import { faultsOf } from "../../../test/support/decoded.ts"
import { coreEventReport } from "./core-event-report.ts"
import { endpointPortNames } from "./endpoint-port-names.ts"
import { eventReport } from "./event-report.ts"
import { nodeAvoidPods } from "./node-avoid-pods.ts"

const eventTime = "2026-01-02T03:04:05.000006Z"

test("an event of the older form may omit its reporter", () => {
  expect(faultsOf(coreEventReport, { reason: "x".repeat(200) }, { shape: coreEventShape })).toEqual([])
})

test("an event of the newer form names reporter, instance, action and reason", () => {
  expect(faultsOf(coreEventReport, { eventTime }, { shape: coreEventShape })).toEqual([
    "Required reportingComponent",
    "Invalid reportingComponent",
    "Invalid reportingComponent",
    "Required reportingInstance",
    "Required action",
    "Required reason",
  ])
  const complete = { eventTime, reportingController: "example.com/a", reportingInstance: "i", action: "A", reason: "R" }
  expect(faultsOf(eventReport, complete, { shape: eventShape })).toEqual([])
  // The reference names the field as core/v1 does.
  const long = { ...complete, action: "ü".repeat(65), note: "x".repeat(1025) }
  expect(faultsOf(eventReport, long, { shape: eventShape })).toEqual(["Invalid action", "Invalid message"])
})

test("several ports of endpoints need names", () => {
  const shape = endpointSubsetShape
  expect(faultsOf(endpointPortNames, { ports: [{ port: 1 }] }, { shape })).toEqual([])
  expect(faultsOf(endpointPortNames, { ports: [{ name: "a", port: 1 }, { port: 2 }] }, { shape })).toEqual(["Required ports[1].name"])
})

test("pods to avoid are named by their controllers", () => {
  const key = "scheduler.alpha.orch.io/preferAvoidPods"
  const nodeFaults = (annotations: Record<string, string>) => faultsOf(nodeAvoidPods, { metadata: { annotations } }, { shape: nodeShape })
  const entry = (controller: boolean) => ({ podSignature: { podController: { kind: "ReplicaSet", name: "a", controller } } })
  expect(nodeFaults({})).toEqual([])
  expect(nodeFaults({ [key]: "[" })).toEqual(["Invalid metadata.annotations.AvoidPods"])
  const below = `metadata.annotations.${key}`
  expect(nodeFaults({ [key]: JSON.stringify({ preferAvoidPods: [entry(true), entry(false), {}] }) })).toEqual([
    `Invalid ${below}[1].PodSignature.PodController.Controller`,
    `Required ${below}[2].PodSignature`,
  ])
})
