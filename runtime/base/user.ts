/** The user of a request, and the names of service accounts and of the administrators' group. */

/** Set by the authentication filter. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Members of this group pass every mode and the limits of requests in flight: an administrator must be able to act. */
export const privilegedGroup = "system:masters"

/** The user name of a service account. */
export function accountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

/** The groups of all service accounts of a namespace. */
export function accountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
}
