/** In whose name the server writes by itself. Such writes pass admission as those of clients do. */
import type { User } from "../http/request/context.ts"
import type { Vendor } from "../base/vendor.ts"
import type { KindName, OpenAttributes, Operation, ResourceName } from "./plugin.ts"

/** The user of what the server does for itself: system namespaces, its Service, its endpoints, leases. */
export const serverUser: User = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"], extra: {} }

const controllerUsers = new Map<string, User>()

/** The service account of a controller of the system, by the reference's name of it: `namespace-controller`. */
export function controllerUser(vendor: Vendor, controller: string): User {
  const namespace = vendor.namespace("orch-system")
  const name = `system:serviceaccount:${namespace}:${controller}`
  let user = controllerUsers.get(name)
  if (user === undefined) {
    user = { name, groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"], extra: {} }
    controllerUsers.set(name, user)
  }
  return user
}

/** What a write of the server itself is about. */
export interface ServerWrite {
  readonly kind: ResourceName & KindName
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
  readonly dryRun?: boolean
}

/** Called once per write that no client asked for. */
export function serverAttributes(user: User, operation: Operation, write: ServerWrite): OpenAttributes {
  return {
    operation,
    user,
    userAgent: "",
    resource: write.kind,
    subresource: write.subresource ?? "",
    kind: write.kind,
    namespace: write.namespace,
    name: write.name,
    options: {},
    dryRun: write.dryRun ?? false,
    object: undefined,
    oldObject: undefined,
    expiry: undefined,
  }
}
