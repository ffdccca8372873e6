/** Requests of the node agent of node `n` for NodeRestriction, and the plugin's answers. */
import { Pace } from "../../runtime/base/pace.ts"
import { untraced } from "../../runtime/base/trace.ts"
import { csiNodeShape } from "../../generated/storage.orch.io/v1/csi-node/shape.ts"
import { nodeShape } from "../../generated/core/v1/node/shape.ts"
import { persistentVolumeClaimShape } from "../../generated/core/v1/persistent-volume-claim/shape.ts"
import { podShape } from "../../generated/core/v1/pod/shape.ts"
import { resourceSliceShape } from "../../generated/resource.orch.io/v1alpha2/resource-slice/shape.ts"
import type { OpenAttributes, RequestAttributes } from "../../runtime/admission/plugin.ts"
import { nodeRestriction } from "../../runtime/admission/plugins/node-restriction.ts"
import type { ApiObject } from "../../runtime/base/json.ts"
import type { User } from "../../runtime/base/user.ts"
import { vendorProfile, type VendorName } from "../../runtime/base/vendor.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"

/** The agent of node `n`. */
export const nodeAgent: User = { name: "system:node:n", groups: ["system:nodes", "system:authenticated"], extra: {} }

interface AskedKind {
  readonly kind: string
  readonly group?: string
  readonly version?: string
  /** Absent: the plugin reads none of its fields. */
  readonly shape?: TypeShape
  readonly isClusterScoped?: true
}

const kinds = {
  pods: { kind: "Pod", shape: podShape },
  nodes: { kind: "Node", shape: nodeShape, isClusterScoped: true },
  leases: { kind: "Lease", group: "coordination.orch.io" },
  configmaps: { kind: "ConfigMap" },
  serviceaccounts: { kind: "ServiceAccount" },
  persistentvolumeclaims: { kind: "PersistentVolumeClaim", shape: persistentVolumeClaimShape },
  csinodes: { kind: "CSINode", group: "storage.orch.io", shape: csiNodeShape, isClusterScoped: true },
  resourceslices: {
    kind: "ResourceSlice",
    group: "resource.orch.io",
    version: "v1alpha2",
    shape: resourceSliceShape,
    isClusterScoped: true,
  },
} as const satisfies Readonly<Record<string, AskedKind>>

export type NodeResource = keyof typeof kinds

/** The object as the server decodes it. Bodies of sub-resources stay as they are. */
function decodedOf(resource: NodeResource, object: ApiObject | undefined): ApiObject | undefined {
  const { shape }: AskedKind = kinds[resource]
  return shape === undefined || object === undefined ? object : normalize(shape, object).object
}

/** A creation by the agent, unless `given` says otherwise. */
export function nodeRequest(resource: NodeResource, given: Partial<RequestAttributes>): OpenAttributes {
  const { kind, group = "", version = "v1", isClusterScoped }: AskedKind = kinds[resource]
  return {
    operation: "CREATE",
    user: nodeAgent,
    authorizers: [],
    userAgent: "",
    resource: { group, version, resource },
    subresource: "",
    kind: { group, version, kind },
    namespace: isClusterScoped === true ? "" : "a",
    name: "",
    options: {},
    dryRun: false,
    expiry: undefined,
    warn: () => undefined,
    trace: untraced,
    pace: new Pace(),
    ...given,
    object: decodedOf(resource, given.object),
    oldObject: decodedOf(resource, given.oldObject),
  }
}

/** The objects that the plugin can read. */
export const storedByNodes: Readonly<Record<string, ApiObject>> = {
  "nodes/n": { metadata: { name: "n", uid: "u1" } },
  "pods/mine": { metadata: { name: "mine", uid: "uid-mine" }, spec: { nodeName: "n" } },
  "pods/other": { metadata: { name: "other", uid: "uid-other" }, spec: { nodeName: "m" } },
  "pods/pending": { metadata: { name: "pending", uid: "uid-pending" }, spec: {} },
}

/** The message of the refusal; "" if the plugin admits the request. */
export async function judged(attributes: OpenAttributes, vendor: VendorName = "orch"): Promise<string> {
  const plugin = nodeRestriction({
    vendor: vendorProfile(vendor),
    reader: {
      has: () => true,
      peek: () => undefined,
      get: async ({ resource }, _namespace, name) =>
        decodedOf(resource === "pods" ? "pods" : "nodes", storedByNodes[`${resource}/${name}`]),
    },
  })
  try {
    await plugin.mutate?.(attributes)
    return ""
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
