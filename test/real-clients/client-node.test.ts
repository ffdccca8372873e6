/** Definitions and their objects with the JavaScript client library, as an operator written with it uses them. */
import { readFile } from "node:fs/promises"
import {
  ApiextensionsV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1CustomResourceDefinition,
  Watch,
} from "@kubernetes/client-node"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { signal } from "../clients/signal.ts"

interface Oven extends KubernetesObject {
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

const path = { group: "bakery.example.com", version: "v1", namespace: "default", plural: "ovens" }
const watched = "/apis/bakery.example.com/v1/namespaces/default/ovens"
const oven = (name: string, spec: Oven["spec"]): Oven => ({ apiVersion: "bakery.example.com/v1", kind: "Oven", metadata: { name }, spec })

let cluster: Cluster
let config: KubeConfig
let customs: CustomObjectsApi

beforeEach(async () => {
  cluster = await startCluster({ store: "memory" })
  config = new KubeConfig()
  config.loadFromString(cluster.kubeconfig)
  customs = config.makeApiClient(CustomObjectsApi)
  await install()
})
afterEach(() => cluster.remove())

/** Creates the definition, and watches it until it is established. */
async function install(): Promise<void> {
  const text = await readFile(new URL("../clients/manifests/oven-definition.yaml", import.meta.url), "utf8")
  const body = loadYaml<V1CustomResourceDefinition>(text)
  const created = await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body })
  expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date)
  const changed = signal()
  let isEstablished = false
  const fieldSelector = `metadata.name=${body.metadata?.name}`
  const note = (_type: string, { status }: V1CustomResourceDefinition): void => {
    isEstablished ||= status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") === true
    changed.raise()
  }
  const watching = await new Watch(config).watch(
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    { fieldSelector },
    note,
    () => {},
  )
  await changed.until(() => isEstablished)
  watching.abort()
}

describe("objects of a definition with the JavaScript client", () => {
  it("are created with defaults, refused with the reason, listed, patched, applied and deleted", async () => {
    const created: Oven = await customs.createNamespacedCustomObject({ ...path, body: oven("front", { degrees: 200 }) })
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { degrees: 200, size: "Small", replicas: 1 } })
    const refused = customs.createNamespacedCustomObject({ ...path, body: oven("hot", { degrees: 280 }) })
    await expect(refused).rejects.toMatchObject({ code: 422, body: expect.stringContaining("an oven of size Small does not get that hot") })
    const body = { metadata: { labels: { floor: "ground" } }, spec: { degrees: 210 } }
    const merged: Oven = await customs.patchNamespacedCustomObject(
      { ...path, name: "front", body },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    )
    expect(merged).toMatchObject({ metadata: { generation: 2, labels: { floor: "ground" } }, spec: { degrees: 210 } })
    const applied: Oven = await customs.patchNamespacedCustomObject(
      { ...path, name: "front", fieldManager: "baker", body: oven("front", { degrees: 210, trays: [{ name: "top" }] }) },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    )
    expect(applied.spec).toMatchObject({ trays: [{ name: "top", buns: 0 }] })
    const conflict = customs.patchNamespacedCustomObject(
      { ...path, name: "front", fieldManager: "other", body: oven("front", { degrees: 100 }) },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    )
    await expect(conflict).rejects.toMatchObject({ code: 409, body: expect.stringContaining(".spec.degrees") })
    const { items }: KubernetesListObject<Oven> = await customs.listNamespacedCustomObject({ ...path, labelSelector: "floor=ground" })
    expect(items).toEqual([applied])
    expect(await customs.getNamespacedCustomObject({ ...path, name: "front" })).toEqual(applied)
    await customs.deleteNamespacedCustomObject({ ...path, name: "front" })
    await expect(customs.getNamespacedCustomObject({ ...path, name: "front" })).rejects.toMatchObject({ code: 404 })
  })

  it("have a status and a scale", async () => {
    await customs.createNamespacedCustomObject({ ...path, body: oven("front", { degrees: 200 }) })
    const at = { ...path, name: "front" }
    const read: Oven = await customs.getNamespacedCustomObject(at)
    const changed: Oven = { ...read, spec: { degrees: 31 }, status: { phase: "Hot", replicas: 1, selector: "oven=front" } }
    const reported: Oven = await customs.replaceNamespacedCustomObjectStatus({ ...at, body: changed })
    expect(reported).toMatchObject({ metadata: { generation: 1 }, spec: { degrees: 200 }, status: { phase: "Hot" } })
    const scale: Oven = await customs.getNamespacedCustomObjectScale(at)
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 1 }, status: { replicas: 1, selector: "oven=front" } })
    await customs.replaceNamespacedCustomObjectScale({ ...at, body: { ...scale, spec: { replicas: 3 } } })
    expect(await customs.getNamespacedCustomObject(at)).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } })
  })

  it("reach an informer, which learns of every change", async () => {
    const seen: string[] = []
    const changed = signal()
    await customs.createNamespacedCustomObject({ ...path, body: oven("before", { degrees: 100 }) })
    const informer = makeInformer<Oven>(config, watched, () => customs.listNamespacedCustomObject(path))
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, ({ metadata, spec }) => {
        seen.push(`${verb} ${metadata?.name} ${spec.degrees}`)
        changed.raise()
      })
    }
    await informer.start()
    await customs.createNamespacedCustomObject({ ...path, body: oven("later", { degrees: 120 }) })
    const patch = [{ op: "replace", path: "/spec/degrees", value: 130 }]
    await customs.patchNamespacedCustomObject({ ...path, name: "later", body: patch })
    await customs.deleteNamespacedCustomObject({ ...path, name: "before" })
    await changed.until(() => seen.length === 4)
    await informer.stop()
    expect(seen).toEqual(["add before 100", "add later 120", "update later 130", "delete before 100"])
  })
})
