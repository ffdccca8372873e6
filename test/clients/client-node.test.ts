/** The JavaScript client library: objects by manifest, typed calls, and informers that must miss nothing. */
import { readFile } from "node:fs/promises"
import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  loadAllYaml,
  makeInformer,
  type V1ConfigMap,
  type V1Deployment,
} from "@kubernetes/client-node"
import { afterEach, describe, expect, it } from "vitest"
import { type LibraryOptions, startServer } from "../../runtime/library.ts"
import { type Cluster, startCluster } from "./cluster.ts"
import { signal } from "./signal.ts"

const clusters: Cluster[] = []

afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.remove()
})

async function connect(options: LibraryOptions = {}): Promise<{ cluster: Cluster; config: KubeConfig; core: CoreV1Api }> {
  const cluster = await startCluster(options)
  clusters.push(cluster)
  const config = new KubeConfig()
  config.loadFromString(cluster.kubeconfig)
  return { cluster, config, core: config.makeApiClient(CoreV1Api) }
}

describe("the manifest with the JavaScript client", () => {
  it("is created, read, patched, replaced, listed and deleted", async () => {
    const { config } = await connect()
    const objects = KubernetesObjectApi.makeApiClient(config)
    const documents = loadAllYaml(await readFile(new URL("manifests/guestbook.yaml", import.meta.url), "utf8"))
    for (const document of documents) {
      const created = await objects.create(document)
      expect(created).toMatchObject({ kind: document.kind, metadata: { name: document.metadata.name, uid: expect.any(String) } })
    }
    for (const document of documents) {
      const read = await objects.read(document)
      expect(read).toMatchObject({ kind: document.kind, metadata: { name: document.metadata.name } })
      const patched = await objects.patch({ ...headOf(document), metadata: { ...headOf(document).metadata, labels: { seen: "yes" } } })
      expect(patched.metadata?.labels).toMatchObject({ seen: "yes" })
      const replaced = await objects.replace({ ...patched, metadata: { ...patched.metadata, annotations: { note: "replaced" } } })
      expect(replaced.metadata?.annotations).toEqual({ note: "replaced" })
    }
    const apps = config.makeApiClient(AppsV1Api)
    const deployment: V1Deployment = await apps.readNamespacedDeployment({ namespace: "guestbook", name: "front" })
    expect(deployment.spec?.template.spec?.containers[0]?.readinessProbe?.httpGet?.port).toBe("http")
    expect(deployment.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const { items } = await objects.list("v1", "Service", "guestbook", undefined, undefined, undefined, undefined, "tier=store")
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["store"])
    for (const document of documents.toReversed()) expect(await objects.delete(headOf(document))).toHaveProperty("kind")
    await expect(apps.readNamespacedDeployment({ namespace: "guestbook", name: "front" })).rejects.toMatchObject({ code: 404 })
  })

  it("is scaled, listed in pages, and refused with the reason", async () => {
    const { config, core } = await connect()
    const apps = config.makeApiClient(AppsV1Api)
    const labels = { app: "web" }
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "registry.example/web:1" }] } },
    }
    await apps.createNamespacedDeployment({ namespace: "default", body: { metadata: { name: "web" }, spec } })
    const scale = await apps.readNamespacedDeploymentScale({ namespace: "default", name: "web" })
    await apps.replaceNamespacedDeploymentScale({ namespace: "default", name: "web", body: { ...scale, spec: { replicas: 6 } } })
    expect((await apps.readNamespacedDeployment({ namespace: "default", name: "web" })).spec?.replicas).toBe(6)
    for (let index = 0; index < 5; index++)
      await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: `page-${index}` } } })
    const names: (string | undefined)[] = []
    let next: string | undefined
    do {
      const page = await core.listNamespacedConfigMap({ namespace: "default", limit: 2, ...(next !== undefined && { _continue: next }) })
      names.push(...page.items.map(({ metadata }) => metadata?.name))
      next = page.metadata?._continue
    } while (next !== undefined && next !== "")
    expect(names).toEqual(["page-0", "page-1", "page-2", "page-3", "page-4"])
    const refused = core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "Not a name" } } })
    await expect(refused).rejects.toMatchObject({ code: 422, body: expect.stringContaining("metadata.name") })
  })
})

/** The fields that identify an object, for calls that need no more. */
function headOf({ apiVersion, kind, metadata }: KubernetesObject): {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string }
} {
  const { name = "", namespace } = metadata ?? {}
  return { apiVersion: apiVersion ?? "", kind: kind ?? "", metadata: { name, ...(namespace !== undefined && { namespace }) } }
}

/** Records every change that an informer reports as `add NAME RESOURCEVERSION`, for comparison. */
function recordingInformer(config: KubeConfig, core: CoreV1Api) {
  const seen: string[] = []
  const changed = signal()
  let connects = 0
  let lists = 0
  const informer = makeInformer<V1ConfigMap>(config, "/api/v1/namespaces/default/configmaps", () => {
    lists++
    return core.listNamespacedConfigMap({ namespace: "default" })
  })
  for (const verb of ["add", "update", "delete"] as const) {
    informer.on(verb, ({ metadata }) => {
      // A client that deletes does not learn the version of the deletion: it is not in the response.
      seen.push(verb === "delete" ? `delete ${metadata?.name}` : `${verb} ${metadata?.name} ${metadata?.resourceVersion}`)
      changed.raise()
    })
  }
  informer.on("connect", () => {
    connects++
    changed.raise()
  })
  return { informer, seen, changed, connects: () => connects, lists: () => lists }
}

/** Creates, changes and deletes one object; returns the changes that an informer must report. */
async function lifeOf(core: CoreV1Api, name: string): Promise<string[]> {
  const namespace = "default"
  const created = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { turn: "0" } } })
  const updated = await core.replaceNamespacedConfigMap({ namespace, name, body: { ...created, data: { turn: "1" } } })
  await core.deleteNamespacedConfigMap({ namespace, name })
  return [`add ${name} ${created.metadata?.resourceVersion}`, `update ${name} ${updated.metadata?.resourceVersion}`, `delete ${name}`]
}

describe("an informer", () => {
  it("sees every change, though the server ends its watch repeatedly", { timeout: 60_000 }, async () => {
    // Watches last between one and two seconds.
    const { config, core } = await connect({ "min-request-timeout": 1 })
    const { informer, seen, changed, connects, lists } = recordingInformer(config, core)
    await informer.start()
    const expected: string[] = []
    for (let turn = 0; connects() < 4; turn++) expected.push(...(await lifeOf(core, `turn-${turn}`)))
    await changed.until(() => seen.length >= expected.length)
    await informer.stop()
    expect(seen).toEqual(expected)
    expect(lists()).toBe(1)
  })

  it("resumes when the server restarts", { timeout: 60_000 }, async () => {
    const { cluster, config, core } = await connect()
    const { informer, seen, changed, lists } = recordingInformer(config, core)
    await informer.start()
    const expected = await lifeOf(core, "before")
    await changed.until(() => seen.length >= expected.length)
    informer.on("error", () => undefined)
    await cluster.stop()
    const again = await startServer({ vendor: "kubernetes", "data-dir": cluster.dataDir, port: Number(new URL(cluster.url).port) })
    try {
      expected.push(...(await lifeOf(core, "meanwhile")))
      await informer.stop()
      await informer.start()
      expected.push(...(await lifeOf(core, "after")))
      await changed.until(() => seen.length >= expected.length)
      await informer.stop()
      expect(seen).toEqual(expected)
      expect(lists()).toBe(1)
    } finally {
      await again.stop()
    }
  })
})
