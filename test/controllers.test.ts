/** The controllers that `--controllers` selects, in a server as programs start it, seen over HTTP and in process. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type LibraryServer, startServer } from "../runtime/library.ts"
import { startTestServer } from "./support/server.ts"

const containers = [{ name: "main", image: "nginx", ports: [{ name: "http", containerPort: 8080 }], resources: { requests: { cpu: "1" } } }]

describe("all of them", () => {
  let server: LibraryServer
  let api: LibraryServer["api"]
  beforeAll(async () => {
    server = await startServer({ vendor: "kubernetes", controllers: ["*"] })
    api = server.api
    await api.core.v1.namespaces.create({ metadata: { name: "team" } })
  })
  afterAll(() => server.stop())

  it("each namespace has its service account and the certificate of the authority", async () => {
    const { configmaps, serviceaccounts } = api.core.v1
    await vi.waitFor(async () => {
      for (const namespace of ["team", "default", "kube-system"]) {
        expect((await serviceaccounts.get(namespace, "default")).metadata.name).toBe("default")
        expect((await configmaps.get(namespace, "kube-root-ca.crt")).data).toEqual({ "ca.crt": server.caPem })
      }
    })
  })

  it("a terminating namespace goes, although they keep filling it", async () => {
    const { namespaces, serviceaccounts } = api.core.v1
    await namespaces.create({ metadata: { name: "short" } })
    await vi.waitFor(() => serviceaccounts.get("short", "default"))
    await namespaces.delete("short")
    await vi.waitFor(async () => await expect(namespaces.get("short")).rejects.toMatchObject({ code: 404 }))
  })

  it("aggregated ClusterRoles get their rules", async () => {
    const { clusterroles } = api.rbac.v1
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]
    await clusterroles.create({
      metadata: { name: "all" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "rbac.example.com/aggregate": "true" } }] },
    })
    await clusterroles.create({ metadata: { name: "part", labels: { "rbac.example.com/aggregate": "true" } }, rules })
    await vi.waitFor(async () => expect((await clusterroles.get("all")).rules).toEqual(rules))
    const [owner] = (await clusterroles.get("all")).metadata.managedFields?.filter(({ operation }) => operation === "Apply") ?? []
    expect(owner?.manager).toBe("clusterrole-aggregation-controller")
  })

  it("a Job that has ended goes after its time", async () => {
    const { jobs } = api.batch.v1
    const template = { spec: { restartPolicy: "Never" as const, containers } }
    await jobs.create("team", { metadata: { name: "once" }, spec: { ttlSecondsAfterFinished: 0, template } })
    const now = new Date().toISOString().replace(/\.\d+/, "")
    const conditions = [{ type: "Failed", status: "True", lastTransitionTime: now, lastProbeTime: now }]
    await jobs.status.patch("team", "once", { status: { startTime: now, conditions } })
    await vi.waitFor(async () => await expect(jobs.get("team", "once")).rejects.toMatchObject({ code: 404 }))
  })

  it("a quota, Endpoints and EndpointSlices follow the pods", async () => {
    const { endpoints, nodes, pods, resourcequotas, services } = api.core.v1
    const since = "2030-01-01T00:00:01Z"
    await nodes.create({ metadata: { name: "node", labels: { "topology.kubernetes.io/zone": "east" } } })
    await resourcequotas.create("team", {
      metadata: { name: "q" },
      spec: { hard: { pods: "5", "requests.cpu": "5", "count/secrets": "5" } },
    })
    await services.create("team", {
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] },
    })
    await pods.create("team", { metadata: { name: "web", labels: { app: "web" } }, spec: { nodeName: "node", containers } })
    await pods.status.patch("team", "web", {
      status: {
        phase: "Running",
        podIP: "10.1.0.1",
        podIPs: [{ ip: "10.1.0.1" }],
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
      },
    })
    await vi.waitFor(async () => {
      expect((await resourcequotas.get("team", "q")).status.used).toEqual({ pods: "1", "requests.cpu": "1", "count/secrets": "0" })
      expect((await endpoints.get("team", "web")).subsets?.[0]).toMatchObject({ addresses: [{ ip: "10.1.0.1" }], ports: [{ port: 8080 }] })
      const { items } = await api.discovery.v1.endpointslices.list("team", { labelSelector: "kubernetes.io/service-name=web" })
      expect(items.map((slice) => slice.endpoints?.[0])).toMatchObject([{ addresses: ["10.1.0.1"], nodeName: "node", zone: "east" }])
      const written = [(await endpoints.get("team", "web")).metadata, items[0]?.metadata]
      expect(written.map((metadata) => metadata?.annotations)).toEqual(
        Array(2).fill({ "endpoints.kubernetes.io/last-change-trigger-time": since }),
      )
      expect(items[0]?.metadata.labels?.["endpointslice.kubernetes.io/managed-by"]).toBe("endpointslice-controller.k8s.io")
    })
    await services.delete("team", "web")
    // The garbage collector deletes the slices, since their owner is gone.
    await vi.waitFor(async () => expect((await api.discovery.v1.endpointslices.list("team")).items).toEqual([]))
  })

  it("hand-made Endpoints are mirrored", async () => {
    const { endpoints, services } = api.core.v1
    await services.create("team", { metadata: { name: "outside" }, spec: { ports: [{ port: 80 }] } })
    await endpoints.create("team", {
      metadata: { name: "outside" },
      subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }],
    })
    await vi.waitFor(async () => {
      const { items } = await api.discovery.v1.endpointslices.list("team", { labelSelector: "kubernetes.io/service-name=outside" })
      expect(items[0]?.metadata.labels?.["endpointslice.kubernetes.io/managed-by"]).toBe("endpointslicemirroring-controller.k8s.io")
    })
  })

  it("bootstrap tokens sign, and go when they have expired", async () => {
    const { configmaps, secrets } = api.core.v1
    const token = (id: string, more: Record<string, string>): Promise<unknown> => {
      const stringData = { "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", ...more }
      return secrets.create("kube-system", {
        metadata: { name: `bootstrap-token-${id}` },
        type: "bootstrap.kubernetes.io/token",
        stringData,
      })
    }
    await configmaps.create("kube-public", { metadata: { name: "cluster-info" }, data: { kubeconfig: "the: kubeconfig" } })
    await token("aaaaaa", {})
    await token("bbbbbb", { expiration: "2020-01-01T00:00:00Z" })
    await vi.waitFor(async () => {
      expect(Object.keys((await configmaps.get("kube-public", "cluster-info")).data ?? {})).toEqual(["jws-kubeconfig-aaaaaa", "kubeconfig"])
      await expect(secrets.get("kube-system", "bootstrap-token-bbbbbb")).rejects.toMatchObject({ code: 404 })
    })
  })

  it("they may be stopped at any moment", async () => {
    for (let round = 0; round < 3; round++) {
      const other = await startServer({ controllers: ["*"] })
      await other.api.core.v1.namespaces.create({ metadata: { name: "team" } })
      await other.stop()
    }
  })
})

it("by default none of those that a controller manager has runs, and the queues of the others are measured", async () => {
  const server = await startTestServer()
  const { configmaps, namespaces, serviceaccounts } = server.api.core.v1
  await namespaces.create({ metadata: { name: "team" } })
  await configmaps.create("team", { metadata: { name: "a" } })
  await namespaces.delete("team")
  await vi.waitFor(async () => await expect(namespaces.get("team")).rejects.toMatchObject({ code: 404 }))
  expect([(await serviceaccounts.list()).items, (await configmaps.list("team")).items]).toEqual([[], []])
  const text = (await server.request("GET", "/metrics")).body.toString()
  const names = [...text.matchAll(/^workqueue_adds_total\{name="([^"]+)"\}/gm)].map(([, name]) => name)
  expect(names.sort()).toEqual([
    "AvailableConditionController",
    "ClusterRoleAggregator",
    "autoregister",
    "cluster_authentication_trust_controller",
    "crd_naming_condition_controller",
    "garbage_collector_attempt_to_delete",
    "namespace",
    "priority_and_fairness_config_queue",
  ])
  expect(text).toMatch(/^workqueue_adds_total\{name="namespace"\} [1-9]/m)
  expect(text).toMatch(/^workqueue_depth\{name="namespace"\} 0$/m)
  expect(text).toMatch(/^workqueue_work_duration_seconds_count\{name="namespace"\} [1-9]/m)
})

it("an unknown name stops the start, with those that are known", async () => {
  await expect(startServer({ controllers: ["*", "-nonsense"] })).rejects.toThrow(
    /--controllers: -nonsense is not known; it takes \*, api, .*namespace-controller, /,
  )
})
