import { afterEach, beforeEach, expect, test } from "vitest"
import { bindingShape } from "../../generated/core/v1/binding/shape.ts"
import type { Binding } from "../../generated/core/v1/binding/types.ts"
import { podShape } from "../../generated/core/v1/pod/shape.ts"
import { isPod, type Pod } from "../../generated/core/v1/pod/types.ts"
import type { Container } from "../../generated/core/v1/shared/container/types.ts"
import { decoded, type Part } from "../../test/support/decoded.ts"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import { ApiError } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { ephemeralContainers } from "./ephemeral-containers.ts"
import { binding } from "./binding.ts"
import { qualityOfService } from "./pods/quality-of-service.ts"

let one: OpenRegistry
beforeEach(async () => {
  one = await openRegistry()
})
afterEach(() => one.close())

function pod(spec: JsonObject = {}, more: Partial<ApiObject> = {}): ApiObject {
  return { metadata: { name: "p", namespace: "a" }, spec: { containers: [{ name: "c", image: "i" }], ...spec }, ...more }
}

type Amounts = Record<string, string>

function resources(requests: Amounts, limits: Amounts = {}): Container {
  return { name: "c", image: "i", resources: { requests, limits } }
}

function podOf(object: ApiObject): Pod {
  if (!isPod(object)) throw new Error(`not a pod: ${object.apiVersion} ${object.kind}`)
  return object
}

const context = () => ({ dryRun: false, failures: new Failures() })

test.each([
  { containers: [resources({})], expected: "BestEffort" },
  { containers: [resources({ "example.com/gpu": "1" }, { "example.com/gpu": "1" })], expected: "BestEffort" },
  { containers: [resources({ cpu: "0" })], expected: "BestEffort" },
  { containers: [resources({ cpu: "1" })], expected: "Burstable" },
  { containers: [resources({ cpu: "1", memory: "1Gi" }, { cpu: "1000m", memory: "1024Mi" })], expected: "Guaranteed" },
  { containers: [resources({ cpu: "1", memory: "1Gi" }, { cpu: "2", memory: "1Gi" })], expected: "Burstable" },
  { containers: [resources({ cpu: "1", memory: "1Gi" }, { cpu: "1", memory: "1Gi" }), resources({})], expected: "Burstable" },
  { containers: [resources({ cpu: "1" }, { cpu: "1" })], expected: "Burstable" },
])("the class of $containers is $expected", ({ containers, expected }) => {
  expect(qualityOfService({ containers })).toBe(expected)
})

test("init containers count for the class", () => {
  const guaranteed = resources({ cpu: "1", memory: "1Gi" }, { cpu: "1", memory: "1Gi" })
  expect(qualityOfService({ containers: [guaranteed], initContainers: [resources({})] })).toBe("Burstable")
})

test("a new pod is pending, whatever status the client sent", async () => {
  const created = await one.create("pods", pod({}, { status: { phase: "Running", podIP: "1.2.3.4" } }))
  expect(created.status).toEqual({ phase: "Pending", qosClass: "BestEffort" })
})

test("a new pod has the class that it was sent with", async () => {
  const created = await one.create("pods", pod({}, { status: { qosClass: "Guaranteed" } }))
  expect(created.status).toEqual({ phase: "Pending", qosClass: "Guaranteed" })
})

test("scheduling gates are a condition", async () => {
  const created = await one.create("pods", pod({ schedulingGates: [{ name: "example.com/gate" }] }))
  expect(created.status).toMatchObject({
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
  })
})

test("amounts finer than thousandths are rounded up", async () => {
  const created = await one.create(
    "pods",
    pod({ containers: [resources({ cpu: "0.00001" }, { cpu: "1.0001" })], overhead: { cpu: "100u" } }),
  )
  expect(created.spec).toMatchObject({
    containers: [{ resources: { requests: { cpu: "1m" }, limits: { cpu: "1001m" } } }],
    overhead: { cpu: "1m" },
  })
})

test("the client's own object does not change: the next attempt starts from what was sent", async () => {
  const { behaviours } = await one.handle("pods")
  const sent = pod({ containers: [resources({ cpu: "0.00001" })] })
  const spec = sent.spec
  behaviours[0]?.prepareCreate?.({ ...sent }, context())
  expect(spec).toMatchObject({ containers: [{ resources: { requests: { cpu: "0.00001" } } }] })
})

test("a status without a class has none, and podIP becomes the first of podIPs", async () => {
  await one.create("pods", pod())
  const writeStatus = (status: JsonObject) => one.update("pods", "a/p", (old) => ({ ...old, status }), { subresource: "status" })
  expect((await writeStatus({ phase: "Running", podIP: "192.0.2.1" })).status).toEqual({
    phase: "Running",
    podIP: "192.0.2.1",
    podIPs: [{ ip: "192.0.2.1" }],
  })
  expect((await writeStatus({ phase: "Running", podIPs: [{ ip: "192.0.2.2" }] })).status).toMatchObject({ podIP: "192.0.2.2" })
  expect((await writeStatus({ podIP: "192.0.2.3", podIPs: [{ ip: "192.0.2.2" }] })).status).toMatchObject({ podIPs: [{ ip: "192.0.2.3" }] })
})

test("a pod without a node is deleted at once", async () => {
  await one.create("pods", pod())
  expect((await one.remove("pods", "a/p")).removed).toBe(true)
})

test.each([
  { asked: undefined, own: undefined, expected: 30 },
  { asked: undefined, own: 5, expected: 5 },
  { asked: 7, own: 5, expected: 7 },
  { asked: undefined, own: 0, expected: 0 },
])("grace period of a running pod: requested $asked, own $own: $expected seconds", async ({ asked, own, expected }) => {
  await one.create("pods", pod({ nodeName: "n", ...(own !== undefined && { terminationGracePeriodSeconds: own }) }))
  const { removed, object } = await one.remove("pods", "a/p", asked === undefined ? {} : { gracePeriodSeconds: asked })
  expect(removed).toBe(expected === 0)
  if (!removed) expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: expected })
})

test("a running grace period ends within a second for a negative one, and at once for a pod that finalizers hold", async () => {
  const held = pod({ nodeName: "n", terminationGracePeriodSeconds: 60 })
  await one.create("pods", { ...held, metadata: { ...held.metadata, finalizers: ["example.com/held"] } })
  const begunMs = one.clock.nowMs()
  const marks = async (asked: number): Promise<unknown> => {
    const { deletionTimestamp, deletionGracePeriodSeconds } =
      (await one.remove("pods", "a/p", { gracePeriodSeconds: asked })).object.metadata ?? {}
    return [(Date.parse(deletionTimestamp ?? "") - begunMs) / 1000, deletionGracePeriodSeconds]
  }
  expect(await marks(60)).toEqual([60, 60])
  expect(await marks(-5)).toEqual([1, 1])
  expect(await marks(0)).toEqual([0, 0])
})

test("a period beyond the last time that can be written is shortened from now on", async () => {
  await one.create("pods", pod({ nodeName: "n" }))
  const last = (await one.remove("pods", "a/p", { gracePeriodSeconds: 2 ** 40 })).object.metadata
  expect(last?.deletionTimestamp).toBe("9999-12-31T23:59:59Z")
  const shortened = (await one.remove("pods", "a/p", { gracePeriodSeconds: 20 })).object.metadata
  expect(Date.parse(shortened?.deletionTimestamp ?? "") - one.clock.nowMs()).toBe(20_000)
})

test("a grace period that has begun can only be shortened, by naming a shorter one", async () => {
  await one.create("pods", pod({ nodeName: "n", terminationGracePeriodSeconds: 10 }))
  await one.remove("pods", "a/p", { gracePeriodSeconds: 60 })
  expect((await one.remove("pods", "a/p")).object.metadata).toMatchObject({ deletionGracePeriodSeconds: 60 })
  expect((await one.remove("pods", "a/p", { gracePeriodSeconds: 90 })).object.metadata).toMatchObject({ deletionGracePeriodSeconds: 60 })
  expect((await one.remove("pods", "a/p", { gracePeriodSeconds: 20 })).object.metadata).toMatchObject({ deletionGracePeriodSeconds: 20 })
  expect((await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })).removed).toBe(true)
})

test("a completed pod is deleted at once", async () => {
  await one.create("pods", pod({ nodeName: "n" }))
  await one.update("pods", "a/p", (old) => ({ ...old, status: { phase: "Succeeded" } }), { subresource: "status" })
  expect((await one.remove("pods", "a/p")).removed).toBe(true)
})

/** The body names the pod, as the path does. */
function bind(body: Part<Binding>, old: ApiObject): Pod {
  const { create, validate } = binding(one.registry.deps.behaviourDeps)
  if (create === undefined) throw new Error("binding takes no POST")
  const name = old.metadata?.name ?? ""
  const sent = decoded<Binding>(bindingShape, { ...body, metadata: { name, ...body.metadata } })
  validate?.(sent, name)
  return create(sent, podOf(old), context())
}

test("binding sets the node, annotations and a condition", async () => {
  const old = await one.create("pods", pod())
  const next = bind({ metadata: { annotations: { a: "b" } }, target: { kind: "Node", name: "n" } }, old)
  expect(next).toMatchObject({
    metadata: { annotations: { a: "b" } },
    spec: { nodeName: "n" },
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] },
  })
  expect(podOf(old).spec.nodeName).toBeUndefined()
})

test.each([
  { why: "bound already", spec: { nodeName: "m" }, body: {}, code: 409, text: 'pods/binding "p": pod p is already assigned to node "m"' },
  { why: "gated", spec: { schedulingGates: [{ name: "g" }] }, body: {}, code: 409, text: "pod p has non-empty .spec.schedulingGates" },
  { why: "another pod", spec: {}, body: { metadata: { uid: "other" } }, code: 409, text: "Precondition failed: UID" },
  {
    why: "another version",
    spec: {},
    body: { metadata: { resourceVersion: "999" } },
    code: 409,
    text: "Precondition failed: ResourceVersion",
  },
  {
    why: "no node",
    spec: {},
    body: { target: { kind: "Pod" } },
    code: 422,
    text: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value',
  },
])("binding is refused: $why", async ({ spec, body, code, text }) => {
  const old = await one.create("pods", pod(spec))
  const work = (): Pod => bind({ target: { name: "n" }, ...body }, old)
  expect(work).toThrow(ApiError)
  expect(work).toThrow(expect.objectContaining({ code, message: expect.stringContaining(text) }))
})

test("only ephemeral containers are written, at the version that the client names", async () => {
  const old = await one.create("pods", pod())
  const take = ephemeralContainers(one.registry.deps.behaviourDeps).update
  const added = [{ name: "debug", image: "i", resources: {} }]
  const submitted = decoded<Pod>(podShape, {
    metadata: { name: "p", namespace: "a", resourceVersion: "7", labels: { a: "b" } },
    spec: { ephemeralContainers: added, nodeName: "n" },
  })
  const next = take?.(submitted, podOf(old), context())
  expect(next?.spec).toEqual({ ...podOf(old).spec, ephemeralContainers: added })
  expect(next?.metadata?.labels).toBeUndefined()
  expect(next?.metadata?.resourceVersion).toBe("7")
})
