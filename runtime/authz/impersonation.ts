/** The user that a request asks to act as (catalog operations.yaml: impersonation). */
import { accountGroups, type User } from "../base/user.ts"
import type { RequestInfo } from "../http/request/request-info.ts"

/** Names and values of header fields in their order. */
export type HeaderFields = Iterable<readonly [name: string, value: string]>

export interface Impersonation {
  /** The permissions that the request needs, checked in this order. */
  readonly asked: readonly RequestInfo[]
  readonly user: User
}

const prefix = "impersonate-"
const extraPrefix = "impersonate-extra-"

/** Thrown for headers that name groups, a UID or extra values and no user. The reference answers 500. */
export class ImpersonationError extends Error {
  constructor() {
    super("requested groups, uid or extra values without impersonating a user")
    this.name = "ImpersonationError"
  }
}

/** Undefined for a request without these headers. Throws ImpersonationError. */
export function impersonationOf(fields: HeaderFields): Impersonation | undefined {
  let name = ""
  let uid = ""
  const groups: string[] = []
  const extra = new Map<string, string[]>()
  for (const [field, value] of fields) {
    const lower = field.toLowerCase()
    if (!lower.startsWith(prefix)) continue
    if (lower === "impersonate-user") name ||= value
    else if (lower === "impersonate-uid") uid ||= value
    else if (lower === "impersonate-group") groups.push(value)
    else if (lower.startsWith(extraPrefix)) {
      const key = unescaped(lower.slice(extraPrefix.length))
      extra.set(key, [...(extra.get(key) ?? []), value])
    }
  }
  if (name === "") {
    if (groups.length > 0 || uid !== "" || extra.size > 0) throw new ImpersonationError()
    return undefined
  }
  const account = accountOf(name)
  const asked = [
    account === undefined ? ask("users", { name }) : ask("serviceaccounts", account),
    ...groups.map((group) => ask("groups", { name: group })),
    ...[...extra].flatMap(([key, values]) =>
      values.map((value) => ask("userextras", { ...authentication, subresource: key, name: value })),
    ),
    ...(uid === "" ? [] : [ask("uids", { ...authentication, name: uid })]),
  ]
  return { asked, user: userNamed({ name, uid, groups, extra: Object.fromEntries(extra) }) }
}

/**
 * The impersonated user. Without given groups, a service account is in the groups of its namespace; every user except
 * `system:anonymous` is in `system:authenticated`.
 */
export function userNamed({ name, uid = "", groups, extra }: User): User {
  const account = groups.length > 0 ? undefined : accountOf(name)
  return {
    name,
    ...(uid !== "" && { uid }),
    groups: withSystemGroup(name, account === undefined ? groups : accountGroups(account.namespace)),
    extra,
  }
}

const authentication = { group: "authentication.orch.io", version: "v1" }

function ask(resource: string, what: Partial<RequestInfo>): RequestInfo {
  const none = { group: "", version: "", namespace: "", subresource: "", name: "", method: "", path: "", tail: [], watchPath: false }
  return { ...none, isResource: true, verb: "impersonate", resource, ...what }
}

/** `system:serviceaccount:namespace:name`, with a valid namespace and name. */
function accountOf(name: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, own] = /^system:serviceaccount:([a-z0-9](?:[-a-z0-9]*[a-z0-9])?):([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/.exec(name) ?? []
  return namespace === undefined || own === undefined ? undefined : { namespace, name: own }
}

/** A header that names one of these two groups takes precedence. */
function withSystemGroup(name: string, groups: readonly string[]): readonly string[] {
  const own = name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated"
  const isSaid = groups.includes("system:unauthenticated") || (own === "system:authenticated" && groups.includes(own))
  return isSaid ? groups : [...groups, own]
}

/** A key that is not valid percent-encoding is used as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
