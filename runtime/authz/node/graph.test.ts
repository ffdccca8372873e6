/** Compares the graph with a naive model, which walks all objects for each question. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { PersistentVolume } from "../../../generated/core/v1/persistent-volume/types.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import { typed } from "../../schema/typed.ts"
import { NodeGraph } from "./graph.ts"
import { podReferences, type Related, volumeReferences } from "./references.ts"

const mirror = "kubernetes.io/config.mirror"
const nodes = ["n1", "n2"]
const namespaces = ["a", "b"]
const names = ["x", "y", "p-v"]
const related: readonly Related[] = ["secrets", "configmaps", "persistentvolumeclaims", "serviceaccounts", "resourceclaims"]

type Document = Readonly<Record<string, unknown>>

const name = fc.constantFrom(...names)
const one = (of: Document): fc.Arbitrary<Document> => fc.constant(of)
const env = name.chain((to) =>
  fc.oneof(
    one({ env: [{ name: "E", valueFrom: { secretKeyRef: { name: to, key: "k" } } }] }),
    one({
      env: [
        { name: "E", valueFrom: { configMapKeyRef: { name: to, key: "k" } } },
        { name: "F", value: "x" },
      ],
    }),
    one({ envFrom: [{ secretRef: { name: to } }] }),
    one({ envFrom: [{ configMapRef: { name: to } }] }),
  ),
)
const volumeOfPod = name.chain((to) =>
  fc.oneof(
    ...[
      ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map((driver) => ({
        [driver]: { secretRef: { name: to } },
      })),
      { secret: { secretName: to } },
      { azureFile: { secretName: to, shareName: "s" } },
      { csi: { driver: "d", nodePublishSecretRef: { name: to } } },
      { configMap: { name: to } },
      { projected: { sources: [{ secret: { name: to } }, { serviceAccountToken: { path: "t" } }] } },
      { projected: { sources: [{ configMap: { name: to } }, { downwardAPI: {} }] } },
      // Repeated, since volumes need a pod with their claim.
      ...Array.from({ length: 12 }, () => ({ persistentVolumeClaim: { claimName: to } })),
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { emptyDir: {} },
    ].map((source) => one({ name: "v", ...source })),
  ),
)
const pod = fc
  .record({
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom("p", "q"),
    node: fc.constantFrom("", ...nodes),
    isMirror: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
    spec: fc.record(
      {
        serviceAccountName: name,
        imagePullSecrets: fc.array(fc.record({ name }), { maxLength: 1 }),
        initContainers: fc.array(env, { maxLength: 1 }),
        ephemeralContainers: fc.array(env, { maxLength: 1 }),
        volumes: fc.array(volumeOfPod, { maxLength: 2 }),
        resourceClaims: fc.constantFrom(
          [{ name: "c", source: { resourceClaimName: "x" } }],
          [{ name: "c", source: { resourceClaimTemplateName: "t" } }],
          [{ name: "other", source: { resourceClaimTemplateName: "t" } }],
        ),
      },
      { requiredKeys: [] },
    ),
    containers: fc.array(env, { maxLength: 2 }),
  })
  .map(({ namespace, name: own, node, isMirror, spec, containers }) => ({
    kind: "pod" as const,
    key: `${namespace}/${own}`,
    node,
    document: {
      metadata: { namespace, name: own, ...(isMirror && { annotations: { [mirror]: "hash" } }) },
      spec: { ...spec, containers },
      status: { resourceClaimStatuses: [{ name: "c", resourceClaimName: "y" }] },
    },
  }))

const reference = fc.record({ namespace: fc.constantFrom("", ...namespaces), name })
const sourceOfVolume = reference.chain((to) =>
  fc.oneof(
    ...[
      ...["cephfs", "flexVolume", "iscsi", "rbd", "scaleIO", "cinder", "storageos"].map((driver) => ({ [driver]: { secretRef: to } })),
      { azureFile: { secretName: to.name, secretNamespace: to.namespace } },
      { azureFile: { secretName: to.name } },
      { csi: { nodeStageSecretRef: to, controllerPublishSecretRef: { namespace: "a", name: "x" } } },
      { csi: { nodePublishSecretRef: to, controllerExpandSecretRef: { namespace: "b", name: "x" } } },
      { csi: { nodeExpandSecretRef: to, controllerPublishSecretRef: { namespace: "b", name: "y" } } },
      { hostPath: { path: "/" } },
    ].map(one),
  ),
)
const volume = fc
  .record({ name: fc.constantFrom("v", "w"), claim: fc.option(reference, { nil: undefined }), source: sourceOfVolume })
  .map(({ name: own, claim, source }) => ({
    kind: "volume" as const,
    key: own,
    document: { metadata: { name: own }, spec: { ...source, ...(claim !== undefined && { claimRef: claim }) } },
  }))

const change = fc.oneof(
  { weight: 5, arbitrary: pod },
  { weight: 3, arbitrary: volume },
  { weight: 1, arbitrary: pod.map(({ key }) => ({ kind: "no pod" as const, key })) },
  { weight: 1, arbitrary: volume.map(({ key }) => ({ kind: "no volume" as const, key })) },
)

interface Model {
  readonly pods: Map<string, { readonly node: string; readonly document: Document }>
  readonly volumes: Map<string, Document>
}

/** Every field with one of these names, at any depth, refers to an object. */
function found(value: unknown, into: string[], podName: string): string[] {
  if (typeof value !== "object" || value === null) return into
  for (const [field, inner] of Object.entries(value)) {
    const named = (inner as { name?: string } | null)?.name ?? ""
    if (field === "secretName") into.push(`secrets ${String(inner)}`)
    if (["secretRef", "secretKeyRef", "nodePublishSecretRef", "secret"].includes(field) && named !== "") into.push(`secrets ${named}`)
    if (["configMapRef", "configMapKeyRef", "configMap"].includes(field)) into.push(`configmaps ${named}`)
    if (field === "imagePullSecrets") for (const { name: to } of inner as { name: string }[]) into.push(`secrets ${to}`)
    if (field === "serviceAccountName") into.push(`serviceaccounts ${String(inner)}`)
    if (field === "claimName") into.push(`persistentvolumeclaims ${String(inner)}`)
    if (field === "ephemeral") into.push(`persistentvolumeclaims ${podName}-v`)
    if (field === "resourceClaimName") into.push(`resourceclaims ${String(inner)}`)
    found(inner, into, podName)
  }
  return into
}

function namedByPods({ pods }: Model, node: string, resource: Related, namespace: string, asked: string): boolean {
  return [...pods].some(([key, { node: on, document }]) => {
    const [in_ = "", podName = ""] = key.split("/")
    const { metadata, spec } = document as {
      metadata: { annotations?: object }
      spec: { resourceClaims?: { name: string; source: object }[] }
    }
    if (on !== node || in_ !== namespace || metadata.annotations !== undefined) return false
    const made = spec.resourceClaims?.some(({ name: claim, source }) => claim === "c" && "resourceClaimTemplateName" in source) === true
    return [...found(spec, [], podName), ...(made ? ["resourceclaims y"] : [])].includes(`${resource} ${asked}`)
  })
}

function naive(model: Model, node: string, resource: Related, namespace: string, asked: string): boolean {
  if (namedByPods(model, node, resource, namespace, asked)) return true
  return (
    resource === "secrets" &&
    [...model.volumes].some(([own, document]) => naiveVolume(model, node, own) && secretsOf(document).includes(`${namespace}/${asked}`))
  )
}

function naiveVolume(model: Model, node: string, own: string): boolean {
  const { claimRef } = (model.volumes.get(own)?.["spec"] ?? {}) as { claimRef?: { namespace: string; name: string } }
  return claimRef !== undefined && namedByPods(model, node, "persistentvolumeclaims", claimRef.namespace, claimRef.name)
}

type Reference = { namespace: string; name: string }

function secretsOf(document: Document): string[] {
  const { claimRef, csi, azureFile, ...drivers } = document["spec"] as Record<string, Record<string, Reference>>
  const ofClaim = (claimRef as unknown as Reference).namespace
  const at = (to: Reference | undefined, otherwise: string): string[] =>
    to === undefined ? [] : [`${to.namespace || otherwise}/${to.name}`]
  const { secretName, secretNamespace } = (azureFile ?? {}) as unknown as { secretName?: string; secretNamespace?: string }
  return [
    ...(secretName === undefined ? [] : [`${secretNamespace || ofClaim}/${secretName}`]),
    ...[csi?.["nodeStageSecretRef"], csi?.["nodePublishSecretRef"], csi?.["nodeExpandSecretRef"]].flatMap((to) => at(to, "")),
    ...Object.entries(drivers).flatMap(([driver, { secretRef }]) => at(secretRef, ["cinder", "storageos"].includes(driver) ? "" : ofClaim)),
  ]
}

function apply(
  graph: NodeGraph,
  model: Model,
  step: typeof change extends fc.Arbitrary<infer Step> ? Step : never,
  incarnation: number,
): void {
  if (step.kind === "pod") {
    model.pods.set(step.key, step)
    const references = podReferences(typed<Pod>(step.document), mirror)
    if (step.node === "") graph.removePod(step.key)
    else graph.putPod(step.key, { node: step.node, incarnation, references })
    expect(graph.hasPod(step.key, { node: step.node, incarnation })).toBe(step.node !== "")
    expect(graph.hasPod(step.key, { node: step.node, incarnation: incarnation + 1 })).toBe(false)
  } else if (step.kind === "volume") {
    model.volumes.set(step.key, step.document)
    graph.putVolume(step.key, volumeReferences(typed<PersistentVolume>(step.document)))
  } else if (step.kind === "no pod") {
    model.pods.delete(step.key)
    graph.removePod(step.key)
  } else {
    model.volumes.delete(step.key)
    graph.removeVolume(step.key)
  }
}

test("it answers as the naive model after any changes, and keeps nothing of what is gone", () => {
  let [yes, no] = [0, 0]
  fc.assert(
    fc.property(fc.array(change, { maxLength: 14 }), (steps) => {
      const graph = new NodeGraph()
      const model: Model = { pods: new Map(), volumes: new Map() }
      for (const [index, step] of steps.entries()) apply(graph, model, step, index)
      for (const node of nodes) {
        for (const resource of related)
          for (const namespace of namespaces)
            for (const asked of names) {
              const expected = naive(model, node, resource, namespace, asked)
              if (expected) yes++
              else no++
              expect([node, resource, namespace, asked, graph.reaches(node, resource, namespace, asked)]).toEqual([
                node,
                resource,
                namespace,
                asked,
                expected,
              ])
            }
        for (const own of ["v", "w"]) expect(graph.reachesVolume(node, own)).toBe(naiveVolume(model, node, own))
      }
      for (const key of model.pods.keys()) graph.removePod(key)
      for (const key of model.volumes.keys()) graph.removeVolume(key)
      expect(graph.size).toBe(0)
    }),
    { numRuns: 300 },
  )
  expect(Math.min(yes, no)).toBeGreaterThan(300)
})

test("a secret that all volumes share is looked up by the claims of the node", () => {
  const graph = new NodeGraph()
  const secrets = new Set(["secrets/system/driver"])
  for (let index = 0; index < 20_000; index++) graph.putVolume(`v${index}`, { claim: `persistentvolumeclaims/a/c${index}`, secrets })
  for (let index = 0; index < 200; index++)
    graph.putPod(`a/p${index}`, { node: "n", incarnation: index, references: new Set([`persistentvolumeclaims/a/c${index + 19_000}`]) })
  graph.putPod("a/other", { node: "m", incarnation: 1, references: new Set(["persistentvolumeclaims/a/other"]) })
  expect([graph.reaches("n", "secrets", "system", "driver"), graph.reaches("m", "secrets", "system", "driver")]).toEqual([true, false])
  // Entries grow with references and objects, not with pairs of a node and a secret.
  expect(graph.size).toBeLessThan(3 * 20_000)
})

test("of the secrets of a volume, those that a controller alone needs are not for the node", () => {
  const roles = ["controllerPublish", "nodeStage", "nodePublish", "controllerExpand", "nodeExpand"]
  const csi = Object.fromEntries(roles.map((role) => [`${role}SecretRef`, { namespace: "s", name: role.toLowerCase() }]))
  const bound = typed<PersistentVolume>({ metadata: { name: "v" }, spec: { csi, claimRef: { namespace: "a", name: "c" } } })
  expect([...volumeReferences(bound).secrets].sort()).toEqual(["secrets/s/nodeexpand", "secrets/s/nodepublish", "secrets/s/nodestage"])
  const unbound = typed<PersistentVolume>({ metadata: { name: "v" }, spec: { csi } })
  expect(volumeReferences(unbound)).toEqual({ claim: undefined, secrets: new Set() })
})
