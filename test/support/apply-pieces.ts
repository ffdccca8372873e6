/**
 * Configurations for property tests of apply: objects of several kinds, cut into pieces that set different fields. Any
 * set of pieces together with `base` is a valid object, so a test may assign them to managers at random.
 */
import fc from "fast-check"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"
import { ownField } from "../../runtime/encoding/field-path.ts"
import { setField } from "../../runtime/encoding/json/text.ts"

export interface AppliedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
  /** The sub-resource that the configuration is applied to. */
  readonly subresource?: "status" | undefined
  /** The initial object, applied by a manager of its own: the fields that a valid object requires. */
  readonly base: JsonObject
  readonly pieces: readonly fc.Arbitrary<JsonObject>[]
  /**
   * Pieces that only one manager may apply: their value is stored in another form or not at all, so a second applier
   * would see a conflict.
   */
  readonly alone?: readonly fc.Arbitrary<JsonObject>[]
}

/**
 * Merges two objects: objects field by field, lists item by item where items have a key; other values must be equal.
 * Throws otherwise.
 */
export function together(one: JsonObject, other: JsonObject): JsonObject {
  const result: JsonObject = { ...one }
  for (const [name, value = null] of Object.entries(other)) {
    const before = ownField(result, name)
    setField(result, name, before === undefined ? value : joined(before, value))
  }
  return result
}

const keyFields = ["containerPort", "mountPath", "port", "ip", "uid", "topologyKey", "type", "conditionType", "name", "protocol"]

function joined(one: JsonValue, other: JsonValue): JsonValue {
  if (isObject(one) && isObject(other)) return together(one, other)
  if (!Array.isArray(one) || !Array.isArray(other)) {
    if (JSON.stringify(one) !== JSON.stringify(other)) throw new Error(`${JSON.stringify(one)} is not ${JSON.stringify(other)}`)
    return one
  }
  const items = [...one]
  for (const item of other) {
    const index = items.findIndex((candidate) => keyOf(candidate) === keyOf(item))
    const same = items[index]
    if (same === undefined) items.push(item)
    else items[index] = joined(same, item)
  }
  // Two managers that want different orders would each move its items back, so one order is fixed.
  return items.every(isObject) ? items.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1)) : items
}

function keyOf(item: JsonValue): string {
  if (!isObject(item)) return JSON.stringify(item)
  const name = keyFields.find((candidate) => item[candidate] !== undefined)
  return name === undefined ? JSON.stringify(item) : `${name}=${JSON.stringify(item[name])}`
}

const text = fc.constantFrom("a", "b", "1", "true")
const word = fc.constantFrom("x", "y-z", "w1")
const small = fc.integer({ min: 1, max: 3 })
const amount = fc.constantFrom("1", "500m", "1Ki", "3e3")
/** The server stores these amounts as 1, 500m, 1Ki and 1k. */
const oddAmount = fc.constantFrom("1000m", "0.5", "1024", "1000")
const time = fc.constantFrom("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z")
const condition = fc.constantFrom("True", "False", "Unknown")

/** A piece that sets one value, at some path. */
function piece<Value extends JsonValue>(value: fc.Arbitrary<Value>, at: (value: Value) => JsonObject): fc.Arbitrary<JsonObject> {
  return value.map(at)
}

const metadata: readonly fc.Arbitrary<JsonObject>[] = [
  piece(word, (a) => ({ metadata: { labels: { a } } })),
  piece(word, (b) => ({ metadata: { labels: { b } } })),
  piece(text, (value) => ({ metadata: { annotations: { "x.io/a": value } } })),
  piece(text, (value) => ({ metadata: { annotations: { "x.io/b": value, constructor: value } } })),
  fc.constant({ metadata: { finalizers: ["x.io/one"] } }),
  fc.constant({ metadata: { finalizers: ["x.io/two", "x.io/three"] } }),
  piece(word, (name) => ({ metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: "owner-1" }] } })),
]

/** For a pod's template: nearly every field of a pod, and all of them may change. */
const podSpec: readonly fc.Arbitrary<JsonObject>[] = [
  piece(word, (nodeName) => ({ nodeName })),
  piece(fc.constantFrom("Default", "ClusterFirst"), (dnsPolicy) => ({ dnsPolicy })),
  piece(small, (terminationGracePeriodSeconds) => ({ terminationGracePeriodSeconds })),
  piece(fc.dictionary(word, word, { minKeys: 1 }), (nodeSelector) => ({ nodeSelector })),
  piece(small, (runAsUser) => ({ securityContext: { runAsUser } })),
  piece(small, (fsGroup) => ({ securityContext: { fsGroup, supplementalGroups: [fsGroup, 7] } })),
  fc.constant({ imagePullSecrets: [{ name: "one" }] }),
  fc.constant({ imagePullSecrets: [{ name: "two" }] }),
  piece(fc.constantFrom("Exists"), (operator) => ({ tolerations: [{ key: "k", operator }, { operator }] })),
  piece(word, (name) => ({ hostAliases: [{ ip: "10.0.0.1", hostnames: [name, "z"] }] })),
  fc.constant({ volumes: [{ name: "one", emptyDir: { sizeLimit: "1Gi" } }] }),
  piece(word, (name) => ({ volumes: [{ name: "two", configMap: { name, items: [{ key: "a", path: "b" }] } }] })),
  fc.constant({ volumes: [{ name: "three" }] }),
  piece(amount, (cpu) => ({ containers: [{ name: "c", resources: { limits: { "x.io/gpus": "2" }, requests: { cpu } } }] })),
  piece(word, (command) => ({
    containers: [{ name: "c", command: [command], resources: { requests: { "x.io/a": "1" }, limits: { "x.io/a": "1" } } }],
  })),
  piece(text, (value) => ({ containers: [{ name: "c", env: [{ name: "A", value }] }] })),
  piece(text, (value) => ({ containers: [{ name: "c", env: [{ name: "B", value }, { name: "C" }] }] })),
  piece(word, (name) => ({ containers: [{ name: "c", ports: [{ containerPort: 80, name }] }] })),
  fc.constant({
    containers: [
      {
        name: "c",
        ports: [
          { containerPort: 81, protocol: "UDP" },
          { containerPort: 82, protocol: "SCTP" },
        ],
      },
    ],
  }),
  piece(fc.array(text, { minLength: 1, maxLength: 3 }), (args) => ({ containers: [{ name: "c", args }] })),
  piece(small, (periodSeconds) => ({
    containers: [{ name: "c", livenessProbe: { httpGet: { port: periodSeconds + 1 }, periodSeconds: periodSeconds + 1 } }],
  })),
  piece(word, (image) => ({ containers: [{ name: "d", image }] })),
  piece(word, (image) => ({ initContainers: [{ name: "i", image, env: [{ name: "A" }] }] })),
  piece(word, (key) => ({
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: key, labelSelector: { matchLabels: { key } } }] },
    },
  })),
  piece(word, (conditionType) => ({ readinessGates: [{ conditionType }] })),
]

const replicationController: AppliedKind = {
  apiVersion: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  base: {
    // Without labels of its own it inherits the labels of its template.
    metadata: { labels: { app: "x" } },
    spec: {
      selector: { app: "x" },
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  pieces: [
    ...metadata,
    piece(small, (minReadySeconds) => ({ spec: { minReadySeconds } })),
    piece(word, (tier) => ({ spec: { template: { metadata: { labels: { tier } } } } })),
    ...podSpec.map((each) => each.map((spec) => ({ spec: { template: { spec } } }))),
  ],
  alone: [
    piece(oddAmount, (memory) => ({ spec: { template: { spec: { containers: [{ name: "c", resources: { requests: { memory } } }] } } } })),
  ],
}

const service: AppliedKind = {
  apiVersion: "v1",
  kind: "Service",
  resource: "services",
  base: { spec: { ports: [{ name: "first", port: 1 }] } },
  pieces: [
    ...metadata,
    piece(word, (a) => ({ spec: { selector: { a } } })),
    piece(fc.constantFrom("ClientIP", "None"), (sessionAffinity) => ({ spec: { sessionAffinity } })),
    fc.constant({ spec: { externalIPs: ["203.0.113.1"] } }),
    fc.constant({ spec: { publishNotReadyAddresses: true } }),
    piece(fc.constantFrom("Cluster", "Local"), (internalTrafficPolicy) => ({ spec: { internalTrafficPolicy } })),
    piece(small, (targetPort) => ({ spec: { ports: [{ name: "p", port: 80, targetPort: targetPort + 1 }] } })),
    piece(word, (name) => ({ spec: { ports: [{ name: "q", port: 81, protocol: "UDP", targetPort: name }] } })),
    piece(fc.constantFrom("TCP", "SCTP"), (protocol) => ({ spec: { ports: [{ name: "r", port: 82, protocol }] } })),
  ],
}

const podStatus: AppliedKind = {
  apiVersion: "v1",
  kind: "Pod",
  resource: "pods",
  subresource: "status",
  base: { spec: { containers: [{ name: "c", image: "i" }] } },
  pieces: [
    piece(fc.constantFrom("Pending", "Running"), (phase) => ({ status: { phase } })),
    piece(text, (message) => ({ status: { message } })),
    piece(time, (startTime) => ({ status: { startTime } })),
    piece(condition, (status) => ({ status: { conditions: [{ type: "Ready", status }] } })),
    piece(condition, (status) => ({ status: { conditions: [{ type: "x.io/Other", status, lastProbeTime: null }] } })),
    fc.constant({
      status: {
        conditions: [
          { type: "Initialized", status: "True" },
          { type: "PodScheduled", status: "False", reason: "r" },
        ],
      },
    }),
    fc.constant({ status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } }),
  ],
  alone: [
    // Owned whole, and filled with defaults.
    piece(small, (restartCount) => ({
      status: { containerStatuses: [{ name: "c", ready: true, restartCount, image: "i", imageID: "", state: { running: {} } }] },
    })),
  ],
}

const pod: AppliedKind = {
  apiVersion: "v1",
  kind: "Pod",
  resource: "pods",
  base: podStatus.base,
  // Little of a pod may change; templates cover the rest.
  pieces: [
    ...metadata,
    piece(small, (seconds) => ({ spec: { activeDeadlineSeconds: seconds + 1 } })),
    fc.constant({ spec: { tolerations: [{ key: "k", operator: "Exists" }] } }),
  ],
}

const configMap: AppliedKind = {
  apiVersion: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  base: {},
  pieces: [
    ...metadata,
    piece(text, (a) => ({ data: { a } })),
    piece(text, (value) => ({ data: { b: value, constructor: value } })),
    piece(fc.constantFrom("aGk=", ""), (c) => ({ binaryData: { c } })),
    piece(fc.constantFrom("aGk=", "AAE="), (d) => ({ binaryData: { d } })),
  ],
}

const node: AppliedKind = {
  apiVersion: "v1",
  kind: "Node",
  resource: "nodes",
  subresource: "status",
  base: {},
  pieces: [
    piece(amount, (cpu) => ({ status: { allocatable: { cpu } } })),
    piece(amount, (memory) => ({ status: { allocatable: { memory } } })),
    fc.constant({ status: { addresses: [{ type: "Hostname", address: "h" }] } }),
    fc.constant({ status: { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] } }),
    piece(condition, (status) => ({ status: { conditions: [{ type: "Ready", status }] } })),
    piece(condition, (status) => ({ status: { conditions: [{ type: "DiskPressure", status }] } })),
    piece(small, (Port) => ({ status: { daemonEndpoints: { kubeletEndpoint: { Port: Port + 1 } } } })),
    piece(word, (name) => ({ status: { images: [{ names: [name, "b"], sizeBytes: 5 }] } })),
  ],
  alone: [piece(oddAmount, (storage) => ({ status: { allocatable: { "ephemeral-storage": storage } } }))],
}

const lease: AppliedKind = {
  apiVersion: "coordination.orch.io/v1",
  kind: "Lease",
  resource: "leases",
  base: {},
  pieces: [
    ...metadata,
    piece(word, (holderIdentity) => ({ spec: { holderIdentity } })),
    piece(small, (seconds) => ({ spec: { leaseDurationSeconds: seconds + 1 } })),
    piece(time, (value) => ({ spec: { acquireTime: value.replace("Z", ".000000Z") } })),
  ],
  alone: [piece(time, (value) => ({ spec: { renewTime: value.replace("Z", ".500000+02:00") } }))],
}

/** Pods twice: as a whole, and by their status. Names are neutral. */
export const appliedKinds: readonly AppliedKind[] = [replicationController, service, podStatus, pod, configMap, node, lease]

/** Kinds whose pieces may be removed again, from an object that its manager has created. */
export const removableKinds: readonly AppliedKind[] = [replicationController, service, configMap, lease]

/** A new pod with every field that it can have from the start. */
export const newPod: AppliedKind = { ...pod, pieces: [...metadata, ...podSpec.map((each) => each.map((spec) => ({ spec })))] }
