/**
 * What do the field sets of server-side apply cost, and does the cost grow no faster than the object? Milliseconds for
 * 1,000 and 10,000 fields, their ratio (10 is linear), and the cost for a pod.
 * Run: node --import tsx bench/apply-growth.ts
 */
import { compareObjects } from "../runtime/apply/ownership/compare.ts"
import { canonicalFieldSet, sortedFieldSet, union } from "../runtime/apply/ownership/field-set.ts"
import { mergeApplied } from "../runtime/apply/ownership/merge-applied.ts"
import { removeFields, withNamedFieldsAsMembers } from "../runtime/apply/ownership/remove.ts"
import { typedFaults } from "../runtime/apply/ownership/typed-check.ts"
import { fieldSetOf } from "../runtime/apply/ownership/typed-set.ts"
import { exampleShape } from "../test/support/typed-fixtures.ts"
import { podShape } from "../generated/core/v1/pod/shape.ts"
import { parseJson } from "../runtime/encoding/json/text.ts"
import { isObject } from "../runtime/base/json.ts"
import type { JsonObject } from "../runtime/base/json.ts"
import type { TypeShape } from "../runtime/schema/shape.ts"
import { bestOf } from "./support/cache-fixtures.ts"

const value = "x".repeat(100)

/** An object with `count` fields of about 100 bytes each, and the same object with one of them changed. */
const objects: Readonly<Record<string, (count: number, changed: string) => JsonObject>> = {
  map: (count, changed) => ({
    labels: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`key-${index}`, index === count >> 1 ? changed : value + index]),
    ),
  }),
  set: (count, changed) => ({
    names: Array.from({ length: count }, (_, index) => (index === count >> 1 ? changed : value + index)),
  }),
  keyedList: (count, changed) => ({
    ports: Array.from({ length: count }, (_, index) => ({ port: index, protocol: "UDP", text: index === count >> 1 ? changed : value })),
  }),
}

function costs(shape: TypeShape, old: JsonObject, next: JsonObject, rounds: number, calls: number): Record<string, number> {
  const set = fieldSetOf(shape, old)
  const other = fieldSetOf(shape, next)
  const text = JSON.stringify(set)
  const milliseconds = (run: () => unknown): number =>
    bestOf(rounds, () => {
      for (let call = 0; call < calls; call++) run()
    }) / calls
  return {
    fieldSetOf: milliseconds(() => fieldSetOf(shape, old)),
    compareObjects: milliseconds(() => compareObjects(shape, old, next)),
    mergeApplied: milliseconds(() => mergeApplied(shape, old, next)),
    removeFields: milliseconds(() => removeFields(shape, old, withNamedFieldsAsMembers(shape, other))),
    typedFaults: milliseconds(() => typedFaults(shape, old, { duplicates: "refuse" })),
    union: milliseconds(() => union(set, other)),
    sortedFieldSet: milliseconds(() => sortedFieldSet(set)),
    canonicalFieldSet: milliseconds(() => canonicalFieldSet(JSON.parse(text))),
  }
}

for (const [name, make] of Object.entries(objects)) {
  const small = costs(exampleShape, parsed(make(1000, "a")), parsed(make(1000, "b")), 20, 1)
  const large = costs(exampleShape, parsed(make(10_000, "a")), parsed(make(10_000, "b")), 10, 1)
  const rows = Object.entries(large).map(([operation, ms]) => [
    operation,
    [round(small[operation] ?? 0), round(ms), round(ms / (small[operation] ?? 1))],
  ])
  console.log(name, JSON.stringify(Object.fromEntries(rows)))
}

const pod: JsonObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "default", labels: { app: "web", tier: "front" }, annotations: { "example.com/owner": "team" } },
  spec: {
    containers: [0, 1].map((index) => ({
      name: `container-${index}`,
      image: "registry/web:1",
      ports: [{ containerPort: 8080 + index, protocol: "TCP", name: "http" }],
      env: Array.from({ length: 10 }, (_, at) => ({ name: `VARIABLE_${at}`, value: "value" })),
      resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
      volumeMounts: [{ name: "data", mountPath: "/data" }],
      livenessProbe: { httpGet: { path: "/", port: 8080, scheme: "HTTP" }, periodSeconds: 10, timeoutSeconds: 1 },
    })),
    volumes: [{ name: "data", emptyDir: {} }],
    restartPolicy: "Always",
    dnsPolicy: "ClusterFirst",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    tolerations: [{ key: "a", operator: "Exists" }],
  },
}
const changedPod = parsed(pod)
changedPod["metadata"] = {
  name: "web-0",
  namespace: "default",
  labels: { app: "web", tier: "back" },
  annotations: { "example.com/owner": "team" },
}
const rows = Object.entries(costs(podShape, pod, changedPod, 20, 200)).map(([operation, ms]) => [operation, round(ms)])
console.log("pod", JSON.stringify(Object.fromEntries(rows)))

/** Objects that arrive over the network share no strings with each other. */
function parsed(object: JsonObject): JsonObject {
  const { value } = parseJson(JSON.stringify(object))
  return isObject(value) ? value : {}
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
