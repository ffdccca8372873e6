/** Admission plugins over HTTP: what they see, what they change, and how the server handles plugins that fail. */
import { describe, expect, it, onTestFinished } from "vitest"
import { type AdmissionPlugin, ApiError, type RequestAttributes, startServer } from "../runtime/library.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import {
  all,
  applied,
  applyPatch,
  type Ask,
  both,
  configMap,
  configMaps,
  deployments,
  mergePatch,
  pod,
  pods,
  present,
  recorder,
  serverWith,
} from "./support/admission-server.ts"
import { startServerWith } from "./authentication/server.ts"
import { createHttpClient } from "./support/http-client.ts"
import { plainToken } from "./support/in-process.ts"

it("writes of the server itself are admitted under its own users", async () => {
  const lines: string[] = []
  const users = new Set<string>()
  const isSeen = (name: string): boolean => {
    users.add(name)
    return name.endsWith(":namespace-controller")
  }
  const { ask } = await serverWith([recorder(lines, isSeen)])
  expect([...users]).toEqual(["system:apiserver"])
  await ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } })
  await ask("POST", "/api/v1/namespaces/n/configmaps", configMap("a"))
  await ask("DELETE", "/api/v1/namespaces/n")
  await expect.poll(async () => (await ask("GET", "/api/v1/namespaces/n")).status).toBe(404)
  expect([...users].sort()).toEqual(["admin", "system:apiserver", "system:serviceaccount:orch-system:namespace-controller"])
  expect(lines).toEqual(expect.arrayContaining(both("DELETE configmaps n/a ConfigMap -/old")))
})

it("an eviction is admitted as one request, and its change of the budget as a write of the server", async () => {
  const lines: string[] = []
  const { ask } = await serverWith([recorder(lines, () => true)])
  const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
  const labels = { a: "b" }
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }
  await ask("POST", pods, { ...pod("p"), metadata: { name: "p", labels } })
  await ask("PATCH", `${pods}/p/status`, { status: ready }, mergePatch)
  await ask("POST", budgets, { metadata: { name: "b" }, spec: { minAvailable: 0, selector: { matchLabels: labels } } })
  const allowed = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 }
  await ask("PATCH", `${budgets}/b/status`, { status: allowed }, mergePatch)
  lines.length = 0
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }
  expect((await ask("POST", `${pods}/p/eviction`, eviction)).status).toBe(201)
  expect(lines).toEqual([
    ...both("CREATE pods/eviction default/p Eviction new/-"),
    ...both("UPDATE poddisruptionbudgets/status default/b PodDisruptionBudget new/old"),
  ])
})

it("a binding is admitted as one request", async () => {
  const lines: string[] = []
  const { ask } = await serverWith([recorder(lines, () => true)])
  await ask("POST", pods, pod("p"))
  lines.length = 0
  expect((await ask("POST", `${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "m" } })).status).toBe(201)
  expect(lines).toEqual(both("CREATE pods/binding default/p Binding new/-"))
})

/** Labels every object that a client writes. */
const labelling: AdmissionPlugin = {
  name: "Labelling",
  operations: ["CREATE", "UPDATE"],
  mutate({ object, user, subresource }) {
    if (user.name !== "admin" || subresource !== "") return undefined
    return { ...object, metadata: { ...object?.metadata, labels: { ...object?.metadata?.labels, by: "plugin" } } }
  },
}

it("a plugin may warn at both moments of each write, and a program gets the same texts", async () => {
  const text = ({ operation, subresource }: RequestAttributes, moment: string): string => `${moment} ${operation}${subresource}`
  const warning: AdmissionPlugin = {
    name: "Warning",
    operations: all,
    mutate(attributes) {
      attributes.warn(text(attributes, "first"))
      return undefined
    },
    validate: (attributes) => attributes.warn(text(attributes, "then")),
  }
  const { ask } = await serverWith([warning])
  const warned = async (...request: Parameters<Ask>): Promise<readonly string[]> => (await ask(...request)).warnings
  expect(await warned("POST", pods, pod("p"))).toEqual(["first CREATE", "then CREATE"])
  expect(await warned("PATCH", `${pods}/p`, { metadata: { labels: { a: "b" } } }, mergePatch)).toEqual(["first UPDATE", "then UPDATE"])
  const status = { status: { message: "m" } }
  expect(await warned("PATCH", `${pods}/p/status`, status, mergePatch)).toEqual(["first UPDATEstatus", "then UPDATEstatus"])
  expect(await warned("DELETE", `${pods}/p`)).toEqual(["first DELETE", "then DELETE"])
  const texts: string[] = []
  await using server = await startServer({ vendor: "orch", admission: [warning] })
  await server.api.core.v1.configmaps.create("default", { metadata: { name: "a" } }, { warn: (one) => texts.push(one) })
  expect(texts).toEqual(["first CREATE", "then CREATE"])
})

describe("a mutating plugin", () => {
  const make: Parameters<Ask> = ["POST", configMaps, configMap("a")]
  const changes: readonly (readonly [string, readonly Parameters<Ask>[]])[] = [
    ["create", [make]],
    ["PUT", [make, ["PUT", `${configMaps}/a`, configMap("a", { k: "w" })]]],
    ["merge patch", [make, ["PATCH", `${configMaps}/a`, { metadata: { labels: null } }, mergePatch]]],
    [
      "strategic merge patch",
      [make, ["PATCH", `${configMaps}/a`, { metadata: { labels: null } }, { type: "application/strategic-merge-patch+json" }]],
    ],
    [
      "JSON patch",
      [make, ["PATCH", `${configMaps}/a`, [{ op: "remove", path: "/metadata/labels" }], { type: "application/json-patch+json" }]],
    ],
    ["apply that creates", [["PATCH", `${configMaps}/a?fieldManager=m`, applied("a"), applyPatch]]],
  ]

  it.each(changes)("changes what %s stores, before validating plugins see it, and owns no field", async (_what, requests) => {
    let validated: JsonObject | undefined
    const looking: AdmissionPlugin = {
      name: "Looking",
      operations: ["CREATE", "UPDATE"],
      validate: ({ object, resource }) => {
        if (resource.resource === "configmaps") validated = object?.metadata?.labels
      },
    }
    const { ask } = await serverWith([looking, labelling])
    for (const request of requests) expect((await ask(...request)).status).toBeLessThan(300)
    const { object } = await ask("GET", `${configMaps}/a`)
    expect(object.metadata?.labels).toEqual({ by: "plugin" })
    expect(validated).toEqual({ by: "plugin" })
    const fields = JSON.stringify(object.metadata?.managedFields)
    expect(fields).toContain("f:data")
    expect(fields).not.toContain("f:by")
  })

  it("is called again after a conflict with another update", async () => {
    const versions: (string | undefined)[] = []
    const server: { ask?: Ask } = {}
    const racing: AdmissionPlugin = {
      name: "Racing",
      operations: ["UPDATE"],
      async mutate({ oldObject, user, resource }) {
        if (user.name !== "admin" || resource.resource !== "configmaps") return undefined
        versions.push(oldObject?.metadata?.labels?.raced)
        if (versions.length === 1)
          await server.ask?.("PATCH", `${configMaps}/a`, { metadata: { labels: { raced: "yes" } } }, { ...mergePatch, token: plainToken })
        return undefined
      },
    }
    const { ask } = await serverWith([racing])
    server.ask = ask
    await ask(...make)
    const { status, object } = await ask("PATCH", `${configMaps}/a`, { data: { k: "w" } }, mergePatch)
    expect([status, versions]).toEqual([200, [undefined, "yes"]])
    expect(object).toMatchObject({ metadata: { labels: { raced: "yes" } }, data: { k: "w" } })
  })

  it("changes the options of a scale and of a connection", async () => {
    const changing: AdmissionPlugin = {
      name: "Changing",
      operations: ["UPDATE", "CONNECT"],
      mutate({ object, kind }) {
        if (kind.kind === "Scale") return { ...object, spec: { replicas: 7 } }
        return kind.kind === "PodProxyOptions" ? { path: "/forbidden" } : undefined
      },
      validate({ object, kind }) {
        if (object?.path === "/forbidden") throw new ApiError(403, "Forbidden", "not there")
        if (kind.kind === "Scale" && JSON.stringify(object?.spec) !== '{"replicas":7}') throw new ApiError(403, "Forbidden", "not so many")
      },
    }
    const { ask } = await serverWith([changing])
    for (const made of present) await ask(...made)
    expect((await ask("PATCH", `${deployments}/d/scale`, { spec: { replicas: 3 } }, mergePatch)).object.spec).toEqual({ replicas: 7 })
    expect((await ask("GET", `${deployments}/d`)).object.spec).toMatchObject({ replicas: 7 })
    expect((await ask("GET", `${pods}/p/proxy/x`)).status).toBe(403)
  })
})

describe("a validating plugin", () => {
  const refusing: AdmissionPlugin = {
    name: "Refusing",
    operations: all,
    validate: ({ user }) => {
      if (user.name === "plain") throw new ApiError(403, "Forbidden", "not you")
    },
  }
  const requests: readonly Parameters<Ask>[] = [
    ["POST", configMaps, configMap("x")],
    ["PUT", `${configMaps}/a`, configMap("a", { k: "w" })],
    ["PATCH", `${configMaps}/a`, { data: { k: "w" } }, mergePatch],
    ["PATCH", `${configMaps}/a`, { data: { k: "w" } }, { type: "application/strategic-merge-patch+json" }],
    ["PATCH", `${configMaps}/a`, [{ op: "remove", path: "/data" }], { type: "application/json-patch+json" }],
    ["PATCH", `${configMaps}/x?fieldManager=m`, applied("x"), applyPatch],
    ["DELETE", `${configMaps}/a`],
    ["DELETE", configMaps],
    ["PUT", `${pods}/p/status`, { ...pod("p"), status: { phase: "Running" } }],
    ["PATCH", `${deployments}/d/scale`, { spec: { replicas: 3 } }, mergePatch],
    ["POST", `${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "m" } }],
    ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
    ["POST", `${pods}/p/exec?command=ls`],
    ["GET", `${pods}/p/proxy/x`],
  ]

  it("can refuse by user, and nothing is written", async () => {
    const { ask, store } = await serverWith([refusing])
    for (const made of present) await ask(...made)
    const revision = await store.revision()
    for (const [method, path, body, how] of requests) {
      const answer = await ask(method, path, body, { ...how, token: plainToken })
      expect({ method, path, status: answer.status, message: answer.object.message }).toEqual({
        method,
        path,
        status: 403,
        message: "not you",
      })
    }
    expect(await store.revision()).toBe(revision)
    expect((await ask(...(requests[1] ?? ["GET", ""]))).status).toBe(200)
  })

  it("sees a dry run, which stores nothing", async () => {
    const seen: boolean[] = []
    const { ask, store } = await serverWith([
      { name: "Looking", operations: all, validate: ({ dryRun, user }) => void (user.name === "admin" && seen.push(dryRun)) },
    ])
    for (const made of present) await ask(...made)
    seen.length = 0
    const revision = await store.revision()
    for (const [method, path, body, how] of requests.slice(0, 10)) {
      const trial = `${path}${path.includes("?") ? "&" : "?"}dryRun=All`
      expect((await ask(method, trial, body, how)).status).toBeLessThan(300)
    }
    expect(new Set(seen)).toEqual(new Set([true]))
    expect(await store.revision()).toBe(revision)
  })
})

describe("a plugin that fails", () => {
  const failures: readonly (readonly [string, Pick<AdmissionPlugin, "mutate" | "validate">])[] = [
    [
      "throws",
      {
        mutate: () => {
          throw new Error("broken inside")
        },
      },
    ],
    ["rejects", { validate: () => Promise.reject(new Error("broken inside")) }],
    ["throws a value that is no Error", { validate: () => Promise.reject("broken inside") }],
    ["returns an object that does not decode", { mutate: ({ object }) => ({ ...object, data: ["broken inside"] }) }],
  ]

  it.each(failures)("because it %s causes a 500 and a log line with its name, and the server continues", async (_what, moments) => {
    let fails = false
    const plugin: AdmissionPlugin = {
      name: "Failing",
      operations: ["CREATE"],
      mutate: (attributes) => (fails ? moments.mutate?.(attributes) : undefined),
      validate: (attributes) => (fails ? moments.validate?.(attributes) : undefined),
    }
    const { ask, log } = await serverWith([plugin])
    fails = true
    const failed = await ask("POST", configMaps, configMap("a"))
    fails = false
    expect([failed.status, failed.object.reason]).toEqual([500, "InternalError"])
    expect(JSON.stringify(failed.object)).not.toContain("broken inside")
    expect(log.join("\n")).toMatch(/admission plugin/)
    expect((await ask("POST", configMaps, configMap("a"))).status).toBe(201)
  })

  it("because it never settles is abandoned at the request's deadline, and blocks nothing", async () => {
    const expiries: RequestAttributes["expiry"][] = []
    const hanging: AdmissionPlugin = {
      name: "Hanging",
      operations: ["CREATE"],
      mutate: ({ name, expiry }) => {
        if (name !== "hangs") return undefined
        expiries.push(expiry)
        return new Promise<undefined>(() => undefined)
      },
    }
    const { ask, clock } = await serverWith([hanging])
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } })
    const hung = ask("POST", "/api/v1/namespaces/n/configmaps", configMap("hangs"))
    await expect.poll(() => expiries.length).toBe(1)
    await clock.advance(60_000)
    expect(await hung).toMatchObject({ status: 504 })
    expect(expiries[0]?.aborted).toBe(true)
    // The namespace controller waits for creations in the namespace, so this would hang.
    await ask("DELETE", "/api/v1/namespaces/n")
    await expect.poll(async () => (await ask("GET", "/api/v1/namespaces/n")).status).toBe(404)
  })

  it("because it never settles is abandoned for a connection too, which has no deadline", async () => {
    let isAsked = false
    const hanging: AdmissionPlugin = {
      name: "Hanging",
      operations: ["CONNECT"],
      validate: () => {
        isAsked = true
        return new Promise(() => undefined)
      },
    }
    const { ask, clock } = await serverWith([hanging])
    await ask("POST", pods, pod("p"))
    const hung = ask("POST", `${pods}/p/exec?command=ls`)
    await expect.poll(() => isAsked).toBe(true)
    await clock.advance(60_000)
    expect(await hung).toMatchObject({ status: 504, object: { message: expect.stringContaining("Hanging") } })
  })
})

describe("a server that a program starts", () => {
  it("runs the program's plugins after the built-in ones", async () => {
    const seen: string[] = []
    const server = await startServer({ admission: [recorder(seen)] })
    const client = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
    onTestFinished(async () => {
      client.close()
      await server.stop()
    })
    const post = (path: string): Promise<{ readonly status: number }> =>
      client.send({
        method: "POST",
        path,
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
        body: Buffer.from(JSON.stringify(configMap("a"))),
      })
    expect((await post("/api/v1/namespaces/nowhere/configmaps")).status).toBe(404)
    expect(seen).toEqual([])
    expect((await post(configMaps)).status).toBe(201)
    expect(seen).toEqual(both("CREATE configmaps default/a ConfigMap new/-"))
  })

  it("starts with the plugins of the reference that it does not have, and says that they are not enforced", async () => {
    const { log } = await startServerWith({
      "enable-admission-plugins": ["NodeRestriction", "PodSecurity"],
      "disable-admission-plugins": ["ServiceAccount"],
    })
    expect(log.filter((line) => line.includes("admission-plugins"))).toEqual([
      expect.stringMatching(/WARN .*--enable-admission-plugins: PodSecurity is not enforced by this server/),
      expect.stringMatching(/WARN .*--disable-admission-plugins: this server does not have ServiceAccount anyway/),
    ])
  })

  it.each([
    [
      { "enable-admission-plugins": ["Nonsense"] },
      /--enable-admission-plugins: Nonsense is not known.*NamespaceLifecycle, NodeRestriction/,
    ],
    [{ "disable-admission-plugins": ["Nonsense"] }, /--disable-admission-plugins: Nonsense is not known/],
    [{ "enable-admission-plugins": ["NodeRestriction"], "disable-admission-plugins": ["NodeRestriction"] }, /both name NodeRestriction/],
  ])("does not start with %j", async (options, message) => {
    await expect(startServer(options)).rejects.toThrow(message)
  })
})

it("a terminating namespace refuses creations, including bindings and evictions", async () => {
  const { ask } = await serverWith([])
  await ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } })
  const held = { ...pod("p"), metadata: { name: "p", finalizers: ["example.com/x"] } }
  expect((await ask("POST", "/api/v1/namespaces/n/pods", held)).status).toBe(201)
  await ask("DELETE", "/api/v1/namespaces/n")
  const requests: readonly Parameters<Ask>[] = [
    ["POST", "/api/v1/namespaces/n/pods", { ...pod("p"), metadata: { generateName: "p" } }],
    ["POST", "/api/v1/namespaces/n/pods/p/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
    ["POST", "/api/v1/namespaces/n/pods/p/binding", { metadata: { name: "p" }, target: { name: "m" } }],
  ]
  for (const request of requests) {
    expect(await ask(...request)).toMatchObject({
      status: 403,
      object: {
        message: 'pods "p" is forbidden: unable to create new content in namespace n because it is being terminated',
        details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
      },
    })
  }
})

describe("NodeRestriction", () => {
  const node = { name: "system:node:n", groups: ["system:nodes"], extra: {} }
  const nodes = "/api/v1/nodes"
  const ownLeases = "/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases"
  const requests: readonly (readonly [status: number, why: string, ...Parameters<Ask>])[] = [
    [201, "", "POST", nodes, { metadata: { name: "n" } }],
    [403, 'nodes "m" is forbidden: node "n" is not allowed to modify node "m"', "POST", nodes, { metadata: { name: "m" } }],
    [200, "", "PATCH", `${nodes}/n/status`, { status: { nodeInfo: { architecture: "x" } } }, mergePatch],
    [
      403,
      'nodes "n" is forbidden: node "n" is not allowed to modify taints',
      "PATCH",
      `${nodes}/n`,
      { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } },
      mergePatch,
    ],
    [201, "", "POST", ownLeases, { metadata: { name: "n" }, spec: {} }],
    [
      403,
      'leases.coordination.orch.io "m" is forbidden: can only access node lease with the same name as the requesting node',
      "PUT",
      `${ownLeases}/m`,
      { metadata: { name: "m" }, spec: {} },
    ],
    [
      403,
      'pods "x" is forbidden: pod does not have "orch.io/config.mirror" annotation, node "n" can only create mirror pods',
      "POST",
      pods,
      pod("x"),
    ],
    [200, "", "PATCH", `${pods}/mine/status`, { status: { phase: "Running" } }, mergePatch],
    [
      403,
      'pods "other" is forbidden: node "n" can only update pod status for pods with spec.nodeName set to itself',
      "PATCH",
      `${pods}/other/status`,
      { status: { phase: "Running" } },
      mergePatch,
    ],
    [
      403,
      'pods "other" is forbidden: node n can only evict pods with spec.nodeName set to itself',
      "POST",
      `${pods}/other/eviction`,
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "other" } },
    ],
    [201, "", "POST", `${pods}/mine/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "mine" } }],
    [403, 'pods "other" is forbidden: node "n" can only delete pods with spec.nodeName set to itself', "DELETE", `${pods}/other`],
    [201, "", "POST", configMaps, configMap("a")],
  ]

  it("limits a node agent to its own objects when enabled", async () => {
    const { ask } = await serverWith([], { users: [node], enableAdmission: ["NodeRestriction"] })
    await ask("POST", pods, pod("mine", { nodeName: "n" }))
    await ask("POST", pods, pod("other", { nodeName: "m" }))
    for (const [status, why, method, path, body, how] of requests) {
      const answer = await ask(method, path, body, { ...how, token: node.name })
      const message = status === 403 ? answer.object.message : ""
      expect({ method, path, status: answer.status, message }).toEqual({ method, path, status, message: why })
    }
  })

  it("is disabled by default", async () => {
    const { ask } = await serverWith([], { users: [node] })
    expect((await ask("POST", nodes, { metadata: { name: "m" } }, { token: node.name })).status).toBe(201)
  })
})
