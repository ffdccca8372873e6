/** The users on whose behalf the server itself writes. Its writes pass admission like writes of clients. */
import { alwaysAllow } from "../authz/authorize.ts"
import { Pace } from "../base/pace.ts"
import { type Trace, untraced } from "../base/trace.ts"
import { accountGroups, accountUser, privilegedGroup, type User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import type { KindName, OpenAttributes, Operation, ResourceName } from "./plugin.ts"

/** The user for the server's own objects: system namespaces, its Service, its endpoints, leases. */
export const serverUser: User = { name: "system:apiserver", groups: [privilegedGroup, "system:authenticated"], extra: {} }

const controllerUsers = new Map<string, User>()

/** The service account of a system controller, by its name in the reference: `namespace-controller`. */
export function controllerUser(vendor: Vendor, controller: string): User {
  const namespace = vendor.namespace("orch-system")
  const name = accountUser(namespace, controller)
  let user = controllerUsers.get(name)
  if (user === undefined) {
    user = { name, groups: [...accountGroups(namespace), "system:authenticated"], extra: {} }
    controllerUsers.set(name, user)
  }
  return user
}

const dropped = (): void => {}
const everythingAllowed = [alwaysAllow]

/** The object of a write by the server itself. */
export interface ServerWrite {
  readonly kind: ResourceName & KindName
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
  readonly dryRun?: boolean
  /** Trace of the request that caused the write. */
  readonly trace?: Trace
}

/** Makes request attributes for a write of the server itself. Called once per write. */
export function serverAttributes(user: User, operation: Operation, write: ServerWrite): OpenAttributes {
  return {
    operation,
    user,
    authorizers: everythingAllowed,
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
    warn: dropped,
    trace: write.trace ?? untraced,
    pace: new Pace(),
  }
}
