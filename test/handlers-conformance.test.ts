/**
 * The same operations in the server's process and over HTTP give the same objects and the same errors: the transport of
 * `server.api` cannot drift from the API.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api, type Api } from "../generated/api.ts"
import { ApiError } from "../runtime/base/errors.ts"
import type { JsonValue } from "../runtime/base/json.ts"
import { type LibraryServer, startServer } from "../runtime/library.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { httpObjectClient } from "./support/http-object-client.ts"

let server: LibraryServer
let http: HttpClient
beforeAll(async () => {
  server = await startServer()
  http = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
})
afterAll(async () => {
  http.close()
  await server.stop()
})

/** Runs once per transport, each in a namespace of its own. */
type Step = (api: Api, namespace: string) => Promise<unknown>

const container = { name: "main", image: "nginx:1" }
const podSpec = { containers: [container] }
const labels = { app: "web" }
const deploymentSpec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }

/** The steps in order: each one finds the objects that earlier ones left. */
const steps: Readonly<Record<string, Step>> = {
  "create with defaults": ({ core }, at) => core.v1.pods.create(at, { metadata: { name: "a", labels }, spec: podSpec }),
  "create again": ({ core }, at) => core.v1.pods.create(at, { metadata: { name: "a" }, spec: podSpec }),
  "create with a generated name": async ({ core }, at) => {
    const made = await core.v1.configmaps.create(at, { metadata: { generateName: "g-" }, data: { a: "1" } })
    return { ...made, metadata: { ...made.metadata, name: made.metadata?.name?.length } }
  },
  "create what is invalid": ({ core }, at) =>
    core.v1.services.create(at, { metadata: { name: "Bad_Name" }, spec: { ports: [{ port: 0 }] } }),
  "create in another namespace": ({ core }, at) => core.v1.configmaps.create(at, { metadata: { name: "x", namespace: "other" } }),
  "create without a name": ({ core }, at) => core.v1.configmaps.create(at, { metadata: {} }),
  "create with an unknown field": ({ core }, at) =>
    core.v1.configmaps.create(at, Object.assign({ metadata: { name: "u" } }, { dataa: {} }), { fieldValidation: "Strict" }),
  "create as a dry run": ({ core }, at) => core.v1.configmaps.create(at, { metadata: { name: "dry" } }, { dryRun: true }),
  "get what a dry run left": ({ core }, at) => core.v1.configmaps.get(at, "dry"),
  "create with a field manager": ({ core }, at) =>
    core.v1.configmaps.create(at, { metadata: { name: "m", labels }, data: { a: "1" } }, { fieldManager: "me" }),
  "create with a wrong option": ({ core }, at) =>
    core.v1.configmaps.create(at, { metadata: { name: "o" } }, { fieldManager: "x".repeat(200) }),
  get: ({ core }, at) => core.v1.configmaps.get(at, "m"),
  "get at a version to come": ({ core }, at) => core.v1.configmaps.get(at, "m", { resourceVersion: "x" }),
  "get what is not there": ({ core }, at) => core.v1.configmaps.get(at, "nope"),
  "get a name that cannot be": ({ core }, at) => core.v1.configmaps.get(at, ".."),
  list: ({ core }, at) => core.v1.configmaps.list(at, { labelSelector: "app=web" }),
  "list by field": ({ core }, at) => core.v1.pods.list(at, { fieldSelector: "metadata.name=a" }),
  "list by a field that is none": ({ core }, at) => core.v1.pods.list(at, { fieldSelector: "spec.nope=a" }),
  "list a page": async ({ core }, at) => {
    for (const name of ["p1", "p2", "p3"]) await core.v1.secrets.create(at, { metadata: { name } })
    const first = await core.v1.secrets.list(at, { limit: 2 })
    const second = await core.v1.secrets.list(at, { limit: 2, continue: first.metadata.continue ?? "" })
    return [first.items.length, first.metadata.remainingItemCount, second.items, second.metadata.continue]
  },
  "list at a match without a version": ({ core }, at) => core.v1.secrets.list(at, { resourceVersionMatch: "Exact" }),
  update: async ({ core }, at) => {
    const found = await core.v1.configmaps.get(at, "m")
    return core.v1.configmaps.update(at, { ...found, metadata: { ...found.metadata }, data: { a: "2", b: "3" } })
  },
  "update at an old version": ({ core }, at) =>
    core.v1.configmaps.update(at, { metadata: { name: "m", resourceVersion: "1" }, data: { a: "4" } }),
  "update without a change": async ({ core }, at) => {
    const found = await core.v1.configmaps.get(at, "m")
    return core.v1.configmaps.update(at, { ...found, metadata: { ...found.metadata } })
  },
  "update what is not there": ({ core }, at) => core.v1.configmaps.update(at, { metadata: { name: "none" } }),
  "update without a name": ({ core }, at) => core.v1.configmaps.update(at, { metadata: {} }),
  "merge patch": ({ core }, at) => core.v1.configmaps.patch(at, "m", { data: { b: null, c: "5" } }),
  "json patch": ({ core }, at) => core.v1.configmaps.patch(at, "m", [{ op: "add", path: "/data/d", value: "6" }]),
  "json patch whose test fails": ({ core }, at) => core.v1.configmaps.patch(at, "m", [{ op: "test", path: "/data/d", value: "7" }]),
  "json patch with an unknown field": ({ core }, at) => {
    const operation = { op: "add", path: "/data/e", value: "6", more: 1 } as const
    return core.v1.configmaps.patch(at, "m", [operation], { fieldValidation: "Strict" })
  },
  "strategic merge patch": ({ core }, at) =>
    core.v1.pods.patch(at, "a", { spec: { containers: [{ name: "main", image: "nginx:2" }] } }, { type: "strategic" }),
  "patch to another name": ({ core }, at) => core.v1.configmaps.patch(at, "m", { metadata: { name: "n" } }),
  "create a deployment": ({ apps }, at) => apps.v1.deployments.create(at, { metadata: { name: "d" }, spec: deploymentSpec }),
  apply: ({ core }, at) => core.v1.configmaps.apply(at, { metadata: { name: "m" }, data: { z: "1" } }, { fieldManager: "one" }),
  "apply with a conflict": ({ core }, at) =>
    core.v1.configmaps.apply(at, { metadata: { name: "m" }, data: { z: "2" } }, { fieldManager: "two" }),
  "apply with force": ({ core }, at) =>
    core.v1.configmaps.apply(at, { metadata: { name: "m" }, data: { z: "2" } }, { fieldManager: "two", force: true }),
  "apply without a manager": ({ core }, at) => core.v1.configmaps.apply(at, { metadata: { name: "m" } }, { fieldManager: "" }),
  "scale get": ({ apps }, at) => apps.v1.deployments.scale.get(at, "d"),
  "scale update": ({ apps }, at) => apps.v1.deployments.scale.update(at, { metadata: { name: "d" }, spec: { replicas: 5 } }),
  "scale patch": ({ apps }, at) => apps.v1.deployments.scale.patch(at, "d", { spec: { replicas: 6 } }),
  "scale apply": ({ apps }, at) =>
    apps.v1.deployments.scale.apply(at, { metadata: { name: "d" }, spec: { replicas: 7 } }, { fieldManager: "s", force: true }),
  "scale to what cannot be": ({ apps }, at) => apps.v1.deployments.scale.update(at, { metadata: { name: "d" }, spec: { replicas: -1 } }),
  "get the scaled": ({ apps }, at) => apps.v1.deployments.get(at, "d"),
  "status update": async ({ apps }, at) => {
    const found = await apps.v1.deployments.get(at, "d")
    const change = { spec: { ...deploymentSpec, replicas: 1 }, status: { replicas: 3 } }
    return apps.v1.deployments.status.update(at, { ...found, metadata: { ...found.metadata }, ...change })
  },
  "status patch": ({ apps }, at) => apps.v1.deployments.status.patch(at, "d", { status: { readyReplicas: 2 } }),
  bind: ({ core }, at) => core.v1.pods.binding.create(at, "a", { metadata: { name: "a" }, target: { kind: "Node", name: "n1" } }),
  "bind again": ({ core }, at) => core.v1.pods.binding.create(at, "a", { target: { kind: "Node", name: "n2" } }),
  "bind by the collection": ({ core }, at) => core.v1.bindings.create(at, { metadata: { name: "none" }, target: { name: "n2" } }),
  "get the bound": ({ core }, at) => core.v1.pods.get(at, "a"),
  "evict what is not there": ({ core }, at) => core.v1.pods.eviction.create(at, "none", { metadata: { name: "none" } }),
  "delete at another version": ({ core }, at) => core.v1.pods.delete(at, "a", { preconditions: { uid: "other" } }),
  "delete with an unknown policy": ({ core }, at) => core.v1.pods.delete(at, "a", JSON.parse(`{"propagationPolicy":"Sideways"}`)),
  "delete as a dry run": async ({ core }, at) => {
    await core.v1.pods.delete(at, "a", { dryRun: true })
    return core.v1.pods.get(at, "a")
  },
  "delete with a grace period": async ({ core }, at) => {
    await core.v1.pods.delete(at, "a", { gracePeriodSeconds: 10 })
    const { metadata } = await core.v1.pods.get(at, "a")
    return [metadata?.deletionGracePeriodSeconds, metadata?.deletionTimestamp !== undefined]
  },
  evict: async ({ core }, at) => {
    await core.v1.pods.eviction.create(at, "a", { metadata: { name: "a" }, deleteOptions: { gracePeriodSeconds: 0 } })
    return core.v1.pods.get(at, "a")
  },
  "delete with finalizers": async ({ core }, at) => {
    const finalizers = ["example.com/f"]
    const owner = await core.v1.configmaps.create(at, { metadata: { name: "f", finalizers } })
    // While the dependent exists, the garbage collector leaves the finalizer of the deletion in place.
    const reference = { apiVersion: "v1", kind: "ConfigMap", name: "f", uid: owner.metadata?.uid ?? "", blockOwnerDeletion: true }
    await core.v1.configmaps.create(at, { metadata: { name: "dependent", finalizers, ownerReferences: [reference] } })
    await core.v1.configmaps.delete(at, "f", { propagationPolicy: "Foreground" })
    const { metadata } = await core.v1.configmaps.get(at, "f")
    return metadata?.finalizers
  },
  "delete what is not there": ({ core }, at) => core.v1.pods.delete(at, "none"),
  "delete a collection": async ({ core }, at) => {
    await core.v1.secrets.deleteCollection(at, { fieldSelector: "metadata.name=p1" })
    const { items } = await core.v1.secrets.list(at)
    return items.map(({ metadata }) => metadata?.name)
  },
  "namespaces have no namespace": async ({ core }, at) => [await core.v1.namespaces.get(at), await core.v1.namespaces.status.get(at)],
  watch: async ({ core }, at) => {
    const seen: unknown[] = []
    const { metadata } = await core.v1.services.list(at)
    await core.v1.services.create(at, { metadata: { name: "w" }, spec: { clusterIP: "None" } })
    await core.v1.services.patch(at, "w", { metadata: { labels } })
    await core.v1.services.delete(at, "w")
    for await (const event of core.v1.services.watch(at, { resourceVersion: metadata.resourceVersion })) {
      seen.push(event)
      if (event.type === "DELETED") break
    }
    return seen
  },
  "watch the state": async ({ core }, at) => {
    for await (const event of core.v1.configmaps.watch(at, { fieldSelector: "metadata.name=m" })) return event
    return undefined
  },
  "watch with a wrong selector": async ({ core }, at) => {
    for await (const event of core.v1.configmaps.watch(at, { labelSelector: "!!" })) return event
    return undefined
  },
}

/** The result of a step, without what differs from one run to the next. */
async function outcome(step: Step, over: Api, namespace: string): Promise<unknown> {
  try {
    return comparable((await step(over, namespace)) as JsonValue, namespace)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, reason, message, details } = error
    return comparable({ code, reason, message, details: details as JsonValue } as JsonValue, namespace)
  }
}

const changing = new Set(["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime", "continue"])

const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

function comparable(value: JsonValue | undefined, namespace: string): unknown {
  const text = JSON.stringify(value, (name, field) => (changing.has(name) && typeof field === "string" ? `<${name}>` : field))
  return text === undefined ? undefined : JSON.parse(text.replaceAll(namespace, "<namespace>").replaceAll(uuids, "<uid>"))
}

describe("in process and over HTTP", () => {
  const places = { process: "of-process", network: "of-network" }
  const over = (place: keyof typeof places): Api =>
    api(place === "process" ? server.client : httpObjectClient(http, { token: server.token, userAgent: "orch-apiserver/1" }))
  beforeAll(async () => {
    for (const name of Object.values(places)) await server.api.core.v1.namespaces.create({ metadata: { name } })
  })

  for (const [name, step] of Object.entries(steps)) {
    it(`${name}`, async () => {
      const expected = await outcome(step, over("network"), places.network)
      expect(await outcome(step, over("process"), places.process)).toStrictEqual(expected)
    })
  }
})
