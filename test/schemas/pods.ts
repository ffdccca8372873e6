/** Pods for the tests of the generated Pod. */
import { pod } from "../../generated/core/v1/pod/resource.ts"
import { Failures } from "../../runtime/base/failure.ts"
import type { ApiObject, JsonObject } from "../../runtime/base/json.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"

/** The vendor profile of these tests. */
export const vendor = vendorProfile("orch")
/** The parts of the generated pod: decoding, defaults and validation. */
export const parts = await pod.load()

/** A pod after decoding and defaulting. */
export function decoded(spec: JsonObject, metadata: JsonObject = {}, status?: JsonObject): ApiObject {
  const body = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "n", ...metadata },
    spec: { containers: [{ name: "a", image: "i:1" }], ...spec },
    ...(status !== undefined && { status }),
  }
  const { object } = normalize(parts.shape, body)
  parts.applyDefaults(object, { vendor })
  return object
}

/** Every failure of a pod as `Type field`, in order. */
export function faults(object: ApiObject, old?: ApiObject, subresource?: string): string[] {
  const failures = new Failures()
  parts.validate(object, { failures, vendor, ...(old !== undefined && { old }), ...(subresource !== undefined && { subresource }) })
  return failures.list.map((failure) => `${failure.type} ${failure.field}`)
}

/** Parts of pod specs: a valid pod plus the given part. */
export const container = (more: JsonObject): JsonObject => ({ containers: [{ name: "a", image: "i:1", ...more }] })
export const init = (more: JsonObject): JsonObject => ({ initContainers: [{ name: "i", image: "i:1", ...more }] })
export const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: "v", ...source }] })
export const env = (valueFrom: JsonObject, value = ""): JsonObject => container({ env: [{ name: "E", valueFrom, value }] })
export const mounts = (more: JsonObject, withContainer: JsonObject = {}): JsonObject => ({
  ...volume({}),
  ...container({ volumeMounts: [{ name: "v", mountPath: "/m", ...more }], ...withContainer }),
})
export const port = (more: JsonObject): JsonObject => container({ ports: [{ containerPort: 80, ...more }] })
export const projected = (...sources: JsonObject[]): JsonObject => ({ serviceAccountName: "s", ...volume({ projected: { sources } }) })
export const podAffinity = (term: JsonObject): JsonObject => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k", ...term }] } },
})
export const nodeTerm = (term: JsonObject): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
})
export const spread = (more: JsonObject): JsonObject => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", ...more }],
})
/** The paths of these parts, as in failures. */
export const nodeTerms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
export const podTerm = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
export const first = "spec.containers[0]"
export const exec = { exec: { command: ["x"] } }
