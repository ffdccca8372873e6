/**
 * Texts, reasons and causes that programs compare. Each row names the programs; docs/DEVIATIONS.md lists the same
 * texts. A message begins with the reference's message, as recorded from a running server, and may continue.
 */
import { readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

interface Request {
  readonly do: string
  readonly body?: unknown
  readonly patch?: "apply" | "merge" | "json"
  /** The server waits before it responds; the test advances its clock meanwhile. */
  readonly waits?: true
  readonly anonymous?: true
}

interface Row {
  /** The text that programs compare, as in docs/DEVIATIONS.md. */
  readonly text: string
  readonly readers: readonly string[]
  readonly before?: readonly Request[]
  readonly request: Request
  readonly status: number
  readonly reason: string
  /** The beginning of the message. `N` is replaced by the scenario's namespace. */
  readonly message: string
  /** The message must equal `message`: programs compare all of it, or its end. */
  readonly whole?: boolean
  readonly cause?: { readonly reason: string; readonly message?: string; readonly field?: string }
}

const configMap = (name: string, rest: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...rest,
})
const createA: Request = { do: "POST configmaps", body: configMap("a", { data: { k: "v" } }) }
const applyA: Request = { do: "PATCH configmaps/a?fieldManager=one", patch: "apply", body: configMap("a", { data: { k: "v", l: "v" } }) }
const applyOver = (data: object): Request => ({
  do: "PATCH configmaps/a?fieldManager=two",
  patch: "apply",
  body: configMap("a", { data }),
})
const pod = { metadata: { name: "p", labels: { app: "p" } }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } }
const runningPod: readonly Request[] = [
  { do: "POST pods", body: pod },
  {
    do: "PATCH pods/p/status",
    patch: "merge",
    body: { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
  },
]
const budget = (name: string): readonly Request[] => [
  {
    do: "POST /apis/policy/v1/namespaces/N/poddisruptionbudgets",
    body: { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app: "p" } } } },
  },
  {
    do: `PATCH /apis/policy/v1/namespaces/N/poddisruptionbudgets/${name}/status`,
    patch: "merge",
    body: { status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 } },
  },
]
const evict: Request = { do: "POST pods/p/eviction", body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } } }
const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })
const deleteNamespace: Request = { do: "DELETE /api/v1/namespaces/N" }
const held: Request = { do: "POST configmaps", body: configMap("held", {}, { finalizers: ["example.com/a"] }) }

const rows: readonly Row[] = [
  {
    text: 'Apply failed with 1 conflict: conflict with "one": .data.k',
    readers: ["kubectl pkg/cmd/apply", "Flux ssa/errors", "Terraform manifest/provider/apply.go", "Pulumi provider/pkg/await"],
    before: [applyA],
    request: applyOver({ k: "w" }),
    status: 409,
    reason: "Conflict",
    message: 'Apply failed with 1 conflict: conflict with "one": .data.k\n',
    cause: { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.k" },
  },
  {
    text: 'Apply failed with 2 conflicts: conflicts with "one":',
    readers: ["kubectl pkg/cmd/apply", "Flux ssa/errors"],
    before: [applyA],
    request: applyOver({ k: "w", l: "w" }),
    status: 409,
    reason: "Conflict",
    message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.k\n- .data.l\n',
    cause: { reason: "FieldManagerConflict", message: 'conflict with "one"', field: ".data.l" },
  },
  {
    text: "object is being deleted: ",
    readers: ["shown"],
    before: [held, { do: "DELETE configmaps/held" }],
    request: { do: "POST configmaps", body: configMap("held") },
    status: 409,
    reason: "AlreadyExists",
    message: 'object is being deleted: configmaps "held" already exists',
  },
  {
    text: '"a" already exists',
    readers: ["Argo CD test/e2e/fixture", "Rancher pkg/controllers/managementlegacy/compose"],
    before: [createA],
    request: createA,
    status: 409,
    reason: "AlreadyExists",
    message: 'configmaps "a" already exists',
    whole: true,
  },
  {
    text: "the object has been modified; please apply your changes to the latest version and try again",
    readers: [
      "Helm pkg/kube/client.go",
      "Rancher provisioninglog.go",
      "Argo CD, Argo Workflows, kapp (Operation cannot be fulfilled on ...)",
    ],
    before: [createA],
    request: { do: "PUT configmaps/a", body: configMap("a", {}, { resourceVersion: "1" }) },
    status: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    whole: true,
  },
  {
    text: "Precondition failed: UID in precondition: ",
    readers: ["Kong gateway-operator test/e2e/operator_logs_test.go", "instance-manager IsStorageError (StorageError: invalid object)"],
    before: [createA],
    request: { do: "PUT configmaps/a", body: configMap("a", {}, { uid: "other" }) },
    status: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/N/a, ' +
      "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ",
  },
  {
    text: "uid mismatch: the provided object specified uid ",
    readers: ["shown"],
    request: { do: "PATCH configmaps/a?fieldManager=one", patch: "apply", body: configMap("a", {}, { uid: "other" }) },
    status: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid other, and no existing object was found',
    whole: true,
  },
  {
    text: "the UID in the precondition (",
    readers: ["shown"],
    before: [createA],
    request: { do: "DELETE configmaps/a", body: { preconditions: { uid: "other" } } },
    status: 409,
    reason: "Conflict",
    message: 'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (',
  },
  {
    text: "the ResourceVersion in the precondition (",
    readers: ["shown"],
    before: [createA],
    request: { do: "DELETE configmaps/a", body: { preconditions: { resourceVersion: "1" } } },
    status: 409,
    reason: "Conflict",
    message:
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (',
  },
  {
    text: "metadata.managedFields must be nil",
    readers: ["shown"],
    request: { do: "PATCH configmaps/a?fieldManager=one", patch: "apply", body: configMap("a", {}, { managedFields: [] }) },
    status: 400,
    reason: "BadRequest",
    message: "metadata.managedFields must be nil",
  },
  {
    text: "field not declared in schema",
    readers: ["Datadog operator merge.go (a pattern)", "nelm pkg/kube/error.go (failed to create typed patch object)"],
    request: { do: "PATCH configmaps/a?fieldManager=one", patch: "apply", body: configMap("a", { foo: 1 }) },
    status: 400,
    reason: "BadRequest",
    message: "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in schema",
  },
  {
    text: "the name of the object (x) does not match the name on the URL (a)",
    readers: ["fabric8's mock server, which answers so, too"],
    before: [createA],
    request: { do: "PUT configmaps/a", body: configMap("x") },
    status: 400,
    reason: "BadRequest",
    message: "the name of the object (x) does not match the name on the URL (a)",
  },
  {
    text: "the namespace of the provided object does not match the namespace sent on the request",
    readers: ["shown"],
    request: { do: "POST configmaps", body: configMap("a", {}, { namespace: "other" }) },
    status: 400,
    reason: "BadRequest",
    message: "the namespace of the provided object does not match the namespace sent on the request",
  },
  {
    text: '"x" not found',
    readers: ["Helm pkg/storage", "Rancher clusterdeploy.go", "VPA pkg/utils/vpa/api.go"],
    request: { do: "GET configmaps/x" },
    status: 404,
    reason: "NotFound",
    message: 'configmaps "x" not found',
    whole: true,
  },
  {
    text: 'namespaces "none" not found',
    readers: ["Pulumi provider/pkg/await/error.go (details.kind)"],
    request: { do: "POST /api/v1/namespaces/none/configmaps", body: configMap("a") },
    status: 404,
    reason: "NotFound",
    message: 'namespaces "none" not found',
    whole: true,
  },
  {
    text: "the server could not find the requested resource",
    readers: ["Argo CD util/argo/argo.go", "cert-manager cmapichecker.go", "Gatekeeper pkg/gator"],
    request: { do: "GET widgets" },
    status: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    whole: true,
  },
  {
    text: "field is immutable",
    readers: [
      "Pulumi provider/pkg/await/await.go",
      "Flux ssa/errors/immutable.go (is immutable)",
      "Che operator, Cloud Robotics synk, nelm",
    ],
    before: [{ do: "POST secrets", body: { metadata: { name: "s" }, type: "Opaque" } }],
    request: { do: "PATCH secrets/s", patch: "merge", body: { type: "other/type" } },
    status: 422,
    reason: "Invalid",
    message: 'Secret "s" is invalid: type: Invalid value: "other/type": field is immutable',
    whole: true,
  },
  {
    text: "Required value",
    readers: ["Pulumi provider/pkg/await/error.go"],
    request: { do: "POST configmaps", body: { metadata: {} } },
    status: 422,
    reason: "Invalid",
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    cause: { reason: "FieldValueRequired", field: "metadata.name" },
  },
  {
    text: "metadata.annotations: Too long: must have at most 262144 bytes",
    readers: ["Argo CD util/argo/argo.go"],
    request: { do: "POST configmaps", body: configMap("a", {}, { annotations: { a: "x".repeat(262_145) } }) },
    status: 422,
    reason: "Invalid",
    message: 'ConfigMap "a" is invalid: metadata.annotations: Too long: must have at most 262144 bytes',
  },
  {
    text: "[]: Too long: must have at most 1048576 bytes",
    readers: ["users who look for it"],
    request: { do: "POST configmaps", body: configMap("a", { data: { a: "x".repeat(1_048_577) } }) },
    status: 422,
    reason: "Invalid",
    message: 'ConfigMap "a" is invalid: []: Too long: must have at most 1048576 bytes',
    cause: { reason: "FieldValueTooLong", field: "[]" },
  },
  {
    text: "Too large resource version",
    readers: ["client-go tools/cache/reflector.go (cause, and text)"],
    request: { do: "GET configmaps?resourceVersion=999999999", waits: true },
    status: 504,
    reason: "Timeout",
    message: "Timeout: Too large resource version: 999999999, current: ",
    cause: { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  },
  {
    text: "must be specified for an update",
    readers: ["Cloud Robotics synk.go"],
    before: [{ do: "POST /apis/coordination.k8s.io/v1/namespaces/N/leases", body: { metadata: { name: "l" } } }],
    request: { do: "PUT /apis/coordination.k8s.io/v1/namespaces/N/leases/l", body: { metadata: { name: "l" } } },
    status: 422,
    reason: "Invalid",
    message: 'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    whole: true,
  },
  {
    text: "resourceVersion should not be set on objects to be created",
    readers: ["shown"],
    request: { do: "POST configmaps", body: configMap("a", {}, { resourceVersion: "5" }) },
    status: 400,
    reason: "BadRequest",
    message: "resourceVersion should not be set on objects to be created",
  },
  {
    text: "unable to create new content in namespace",
    readers: [
      "Kyverno pkg/utils/report",
      "client-go tools/record (cause)",
      "kubectl pkg/drain (cause)",
      "Cluster API drain.go (cause)",
      "Istio configutil.go (cause)",
    ],
    before: [held, deleteNamespace],
    request: createA,
    status: 403,
    reason: "Forbidden",
    message: 'configmaps "a" is forbidden: unable to create new content in namespace N because it is being terminated',
    whole: true,
    cause: { reason: "NamespaceTerminating", message: "namespace N is being terminated", field: "metadata.namespace" },
  },
  {
    text: "Cannot evict pod as it would violate the pod's disruption budget.",
    readers: ["Cluster API core/reconcilers/machine/drain (with a small c)", "kubectl pkg/drain, Karpenter (429)"],
    before: [...runningPod, ...budget("b")],
    request: evict,
    status: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    whole: true,
    cause: { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
  },
  {
    text: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    readers: ["Karpenter pkg/controllers/node/termination/terminator/eviction.go (as a whole)"],
    before: [...runningPod, ...budget("b"), ...budget("c")],
    request: evict,
    status: 500,
    reason: "",
    message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    whole: true,
  },
  {
    text: "provided port is already allocated",
    readers: ["Velero pkg/restore/restore.go (each cause)"],
    before: [{ do: "POST services", body: service("one", { type: "NodePort", ports: [{ port: 80, nodePort: 30_063 }] }) }],
    request: { do: "POST services", body: service("two", { type: "NodePort", ports: [{ port: 80, nodePort: 30_063 }] }) },
    status: 422,
    reason: "Invalid",
    message: 'Service "two" is invalid: spec.ports[0].nodePort: Invalid value: 30063: provided port is already allocated',
    cause: { reason: "FieldValueInvalid", message: "Invalid value: 30063: provided port is already allocated" },
  },
  {
    text: "provided IP is already allocated",
    readers: ["Deckhouse dhctl"],
    before: [{ do: "POST services", body: service("one", { clusterIP: "10.0.0.33" }) }],
    request: { do: "POST services", body: service("two", { clusterIP: "10.0.0.33" }) },
    status: 422,
    reason: "Invalid",
    message:
      'Service "two" is invalid: spec.clusterIPs: Invalid value: []string{"10.0.0.33"}: failed to allocate IP 10.0.0.33: provided IP is already allocated',
  },
  {
    text: "may not change once set",
    readers: ["Cloud Robotics synk.go", "operator-tools pkg/reconciler/resource.go"],
    before: [{ do: "POST services", body: service("one", { clusterIP: "10.0.0.34" }) }],
    request: { do: "PATCH services/one", patch: "merge", body: { spec: { clusterIP: "10.0.0.35", clusterIPs: ["10.0.0.35"] } } },
    status: 422,
    reason: "Invalid",
    message: 'Service "one" is invalid: spec.clusterIPs[0]: Invalid value: []string{"10.0.0.35"}: may not change once set',
  },
  {
    text: 'strict decoding error: unknown field "foo"',
    readers: ["shown by kubectl and Helm"],
    request: { do: "POST configmaps?fieldValidation=Strict", body: configMap("a", { foo: 1 }) },
    status: 400,
    reason: "BadRequest",
    message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
    whole: true,
  },
  {
    text: "the server rejected our request due to an error in our request",
    readers: ["KubeVirt pkg/virtctl/vm/add_volume.go, remove_volume.go (as a whole)"],
    before: [createA],
    request: { do: "PATCH configmaps/a", patch: "json", body: [{ op: "test", path: "/data/k", value: "other" }] },
    status: 422,
    reason: "Invalid",
    message: "the server rejected our request due to an error in our request",
    whole: true,
    cause: { reason: "FieldValueInvalid", message: 'operation 0 (test "/data/k"): testing the value failed: it differs', field: "patch" },
  },
  {
    text: "the server does not allow this method on the requested resource",
    readers: ["client-go (reason)"],
    request: { do: "DELETE /api/v1/namespaces" },
    status: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    whole: true,
  },
  {
    text: "invalid object type: /v1, Kind=Secret",
    readers: ["shown"],
    request: { do: "PATCH configmaps/a?fieldManager=one", patch: "apply", body: { ...configMap("a"), kind: "Secret" } },
    status: 400,
    reason: "BadRequest",
    message: "invalid object type: /v1, Kind=Secret",
  },
  {
    text: "Unauthorized",
    readers: ["shown"],
    request: { do: "GET configmaps", anonymous: true },
    status: 401,
    reason: "Unauthorized",
    message: "Unauthorized",
    whole: true,
  },
  {
    text: "invalid continue token: continue key is not valid",
    readers: ["shown"],
    request: { do: "GET configmaps?continue=abc" },
    status: 400,
    reason: "BadRequest",
    message: "invalid continue token: continue key is not valid",
  },
  {
    text: "no new finalizers can be added if the object is being deleted",
    readers: ["HyperShift cmd/cluster/core/destroy.go", "Kong gateway-operator controller_cleanup.go (cause)"],
    before: [held, { do: "DELETE configmaps/held" }],
    request: { do: "PATCH configmaps/held", patch: "merge", body: { metadata: { finalizers: ["example.com/a", "example.com/b"] } } },
    status: 422,
    reason: "Invalid",
    message:
      'ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, ' +
      'found new finalizers []string{"example.com/b"}',
  },
]

const types = { apply: "application/apply-patch+yaml", merge: "application/merge-patch+json", json: "application/json-patch+json" }

let running: InProcess
let client: HttpClient

beforeAll(async () => {
  running = await startInProcess({ store: "memory", vendor: "kubernetes" })
  client = createHttpClient({ protocol: "http2", port: running.port, authority: running.authority })
})
afterAll(async () => {
  client?.close()
  await running?.stop()
})

interface Status {
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly causes?: readonly object[] }
}

async function send(request: Request, namespace: string): Promise<{ readonly code: number; readonly status: Status }> {
  const [method = "", place = ""] = request.do.replace("/N", `/${namespace}`).split(" ")
  const path = place.startsWith("/") ? place : `/api/v1/namespaces/${namespace}/${place}`
  const headers = {
    ...(request.anonymous !== true && { authorization: `Bearer ${running.token}` }),
    ...(request.body !== undefined && { "content-type": request.patch === undefined ? "application/json" : types[request.patch] }),
  }
  const body = request.body === undefined ? {} : { body: Buffer.from(JSON.stringify(request.body)) }
  const sent = client.send({ method, path, headers, ...body })
  if (request.waits === true) await passTime(sent)
  const answer = await sent
  return { code: answer.status, status: JSON.parse(answer.body.toString("utf8")) }
}

/** Advances the server's clock to each due timer until it has responded. */
async function passTime(answer: Promise<unknown>): Promise<void> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  answer.then(settle, settle)
  const { clock, server } = running
  while (!settled) {
    await setImmediate()
    const dueMs = clock.nextDueMs()
    const waits = !settled && server.parts.inFlight.counts.short > 0
    if (waits && dueMs !== undefined) clock.advance(Math.max(0, dueMs - clock.nowMs()))
  }
}

test.each(rows.map((row, index) => ({ ...row, index })))("$text", async (row) => {
  const namespace = `texts-${row.index}`
  await send({ do: "POST /api/v1/namespaces", body: { metadata: { name: namespace } } }, namespace)
  for (const request of row.before ?? []) expect((await send(request, namespace)).code, request.do).toBeLessThan(300)
  const { code, status } = await send(row.request, namespace)
  const message = status.message?.replaceAll(namespace, "N") ?? ""
  expect({ code, reason: status.reason ?? "" }, message).toEqual({ code: row.status, reason: row.reason })
  if (row.whole === true) expect(message).toBe(row.message)
  else expect(message.slice(0, row.message.length)).toBe(row.message)
  expect(message).toContain(row.text)
  if (row.cause !== undefined) {
    const causes = JSON.parse(JSON.stringify(status.details?.causes ?? []).replaceAll(namespace, "N"))
    expect(causes).toContainEqual(expect.objectContaining(row.cause))
  }
})

test("docs/DEVIATIONS.md has every text", () => {
  const document = readFileSync(new URL("../docs/DEVIATIONS.md", import.meta.url), "utf8")
  expect(rows.map(({ text }) => text).filter((text) => !document.includes(text.trim()))).toEqual([])
})
