import { expect, test } from "vitest"
import { Failures } from "../../base/failure.ts"
import type { ApiObject } from "../../base/json.ts"
import { CheckContext } from "../../schema/validate.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { coreEventReport } from "./core-event-report.ts"
import { endpointNodeNames } from "./endpoint-node-names.ts"
import { endpointPortNames } from "./endpoint-port-names.ts"
import { eventReport } from "./event-report.ts"
import { nodeAvoidPods } from "./node-avoid-pods.ts"

function faults(check: typeof eventReport, object: ApiObject, old?: ApiObject): string[] {
  const failures = new Failures()
  check(object, CheckContext.of(object, { failures, vendor: vendorProfile("orch"), ...(old !== undefined && { old }) }))
  return failures.list.map(({ type, field }) => `${type} ${field}`)
}

const eventTime = "2026-01-02T03:04:05.000006Z"

test("an event of the older form may omit its reporter", () => {
  expect(faults(coreEventReport, { reason: "x".repeat(200) })).toEqual([])
})

test("an event of the newer form names reporter, instance, action and reason", () => {
  expect(faults(coreEventReport, { eventTime })).toEqual([
    "Required reportingComponent",
    "Invalid reportingComponent",
    "Invalid reportingComponent",
    "Required reportingInstance",
    "Required action",
    "Required reason",
  ])
  const complete = { eventTime, reportingController: "example.com/a", reportingInstance: "i", action: "A", reason: "R" }
  expect(faults(eventReport, complete)).toEqual([])
  expect(faults(eventReport, { ...complete, action: "ü".repeat(65), note: "x".repeat(1025) })).toEqual(["Invalid action", "Invalid note"])
})

test("several ports of endpoints need names", () => {
  expect(faults(endpointPortNames, { ports: [{ port: 1 }] })).toEqual([])
  expect(faults(endpointPortNames, { ports: [{ name: "a", port: 1 }, { port: 2 }] })).toEqual(["Required ports[1].name"])
})

test("an address of endpoints keeps its node", () => {
  const on = (nodeName: string, list = "addresses"): ApiObject => ({ subsets: [{ [list]: [{ ip: "10.0.0.1", nodeName }] }] })
  expect(faults(endpointNodeNames, on("a"))).toEqual([])
  expect(faults(endpointNodeNames, on("a", "notReadyAddresses"), on("a"))).toEqual([])
  expect(faults(endpointNodeNames, on("b"), on("a"))).toEqual(["Forbidden subsets[0].addresses[0].nodeName"])
})

test("pods to avoid are named by their controllers", () => {
  const key = "scheduler.alpha.orch.io/preferAvoidPods"
  const node = (text: string): ApiObject => ({ metadata: { annotations: { [key]: text } } })
  const entry = (controller: boolean) => ({ podSignature: { podController: { kind: "ReplicaSet", name: "a", controller } } })
  expect(faults(nodeAvoidPods, {})).toEqual([])
  expect(faults(nodeAvoidPods, node("["))).toEqual([`Invalid metadata.annotations[${key}]`])
  const below = `metadata.annotations[${key}].preferAvoidPods`
  expect(faults(nodeAvoidPods, node(JSON.stringify({ preferAvoidPods: [entry(true), entry(false), {}] })))).toEqual([
    `Invalid ${below}[1].podSignature.podController.controller`,
    `Required ${below}[2].podSignature.podController`,
  ])
})
