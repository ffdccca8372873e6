import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { serverUser } from "../../admission/server-identity.ts"
import { NodeGraph } from "../../authz/node/graph.ts"
import type { Related } from "../../authz/node/references.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { StoreError } from "../../storage/store.ts"
import type { ObjectFollower } from "../follow-objects.ts"
import { followNodeGraph } from "./follow-node-graph.ts"

let one: OpenRegistry
let graph: NodeGraph
let follower: ObjectFollower
/** Ends the watch of pods, like a store that has lost events. */
let loseEvents: () => void

beforeEach(async () => {
  one = await openRegistry({ vendor: "kubernetes" })
  graph = new NodeGraph()
  const { cache } = await one.handle("pods")
  const subscribe = cache.subscribe.bind(cache)
  cache.subscribe = (options) => {
    let isLost = false
    const onEvents: typeof options.onEvents = (...given) => (isLost ? undefined : options.onEvents(...given))
    const subscription = subscribe({ ...options, onEvents })
    loseEvents = () => {
      isLost = true
      subscription.stop()
      options.onEnd(new StoreError("unavailable", "lost"))
    }
    return subscription
  }
  follower = followNodeGraph(one, graph)
  await follower.ready
})
afterEach(async () => {
  await follower.stop()
  await one.close()
})

const container = { name: "main", image: "nginx" }

/** Binds the pod, like a scheduler. */
async function pod(name: string, node: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<void> {
  const containers = [{ ...container, envFrom: [{ secretRef: { name } }] }]
  const nodeName = node === "" ? {} : { nodeName: node }
  await one.create("pods", { metadata: { name, namespace: "a", ...metadata }, spec: { containers, ...nodeName, ...spec } })
  await follower.settled()
}

const reads = (node: string, name: string, resource: Related = "secrets"): boolean => graph.reaches(node, resource, "a", name)

test("pods that are bound, change and go are followed", async () => {
  await pod("p", "")
  expect(reads("n", "p")).toBe(false)
  const binding = { group: "", version: "v1", resource: "pods", namespace: "a", name: "p", subresource: "binding" }
  await one.client(serverUser).post(binding, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } })
  await follower.settled()
  expect([reads("n", "p"), reads("m", "p")]).toEqual([true, false])
  const ephemeral: JsonObject = { ...container, name: "debug", terminationMessagePolicy: "File", env: [fromSecret("extra")] }
  const debugged = (old: ApiObject): ApiObject => ({ ...old, spec: { ...(old["spec"] as JsonObject), ephemeralContainers: [ephemeral] } })
  await one.update("pods", "a/p", debugged, { subresource: "ephemeralcontainers" })
  await follower.settled()
  expect([reads("n", "p"), reads("n", "extra")]).toEqual([true, true])
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  await follower.settled()
  expect(graph.size).toBe(0)
})

function fromSecret(name: string): JsonObject {
  return { name: "E", valueFrom: { secretKeyRef: { name, key: "k" } } }
}

test("a report of the status is not parsed", async () => {
  await pod("p", "n")
  const putPod = graph.putPod.bind(graph)
  let puts = 0
  graph.putPod = (...given) => {
    puts++
    putPod(...given)
  }
  await one.update("pods", "a/p", (old) => ({ ...old, status: { phase: "Running" } }), { subresource: "status" })
  await follower.settled()
  expect([puts, reads("n", "p")]).toEqual([0, true])
})

test("a mirror pod gives its node nothing", async () => {
  await pod("p", "n", {}, { annotations: { "kubernetes.io/config.mirror": "hash" } })
  expect(reads("n", "p")).toBe(false)
  await pod("q", "n", { volumes: [{ name: "v", emptyDir: {} }] })
  expect(reads("n", "q")).toBe(true)
})

test("after lost events everything is looked at again", async () => {
  for (const name of ["stays", "goes", "returns"]) await pod(name, "n")
  loseEvents()
  await one.remove("pods", "a/goes", { gracePeriodSeconds: 0 })
  await one.remove("pods", "a/returns", { gracePeriodSeconds: 0 })
  await one.create("pods", { metadata: { name: "returns", namespace: "a" }, spec: { containers: [container], nodeName: "n" } })
  await one.create("pods", {
    metadata: { name: "new", namespace: "a" },
    spec: { containers: [container], serviceAccountName: "x", nodeName: "n" },
  })
  await follower.settled()
  expect(["stays", "goes", "returns"].map((name) => reads("n", name))).toEqual([true, true, true])
  await one.clock.advance(1000)
  while (!reads("n", "x", "serviceaccounts")) await new Promise((resolve) => setImmediate(resolve))
  await follower.settled()
  expect(["stays", "goes", "returns"].map((name) => reads("n", name))).toEqual([true, false, false])
})

test("volumes lead from claims to secrets, and attachments to their node", async () => {
  await pod("p", "n", { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] })
  const csi = { driver: "d", volumeHandle: "h", nodePublishSecretRef: { namespace: "b", name: "s" } }
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi, claimRef: { namespace: "a", name: "c" } }
  await one.create("persistentvolumes", { metadata: { name: "pv" }, spec })
  const attachment = { attacher: "d", nodeName: "n", source: { persistentVolumeName: "pv" } }
  await one.create("volumeattachments", { metadata: { name: "va" }, spec: attachment })
  await follower.settled()
  const seen = (): boolean[] => [
    graph.reachesVolume("n", "pv"),
    graph.reaches("n", "secrets", "b", "s"),
    graph.owns("n", "volumeattachments", "va"),
  ]
  expect(seen()).toEqual([true, true, true])
  await one.remove("persistentvolumes", "pv")
  await one.remove("volumeattachments", "va")
  await follower.settled()
  expect(seen()).toEqual([false, false, false])
})
