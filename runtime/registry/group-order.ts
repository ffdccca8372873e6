/** The order of groups and versions in discovery. Clients use the first one that has the resource they need. */

/** Priorities of the built-in groups, as in the reference. The core group is served under its own root. */
const groupPriorities: Readonly<Record<string, number>> = {
  "apiregistration.orch.io": 20001,
  apps: 17800,
  "events.orch.io": 17750,
  "authentication.orch.io": 17700,
  "authorization.orch.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.orch.io": 17300,
  "networking.orch.io": 17200,
  policy: 17100,
  "rbac.authorization.orch.io": 17000,
  "storage.orch.io": 16800,
  "admissionregistration.orch.io": 16700,
  "apiextensions.orch.io": 16700,
  "scheduling.orch.io": 16600,
  "coordination.orch.io": 16500,
  "node.orch.io": 16300,
  "discovery.orch.io": 16200,
  "flowcontrol.apiserver.orch.io": 16100,
  "internal.apiserver.orch.io": 16000,
  "resource.orch.io": 15900,
  "storagemigration.orch.io": 15800,
}

/** The reference's priority for groups of custom resource definitions. */
const usersGroupPriority = 1000

/** The place of the core group, which is above all others. */
const coreGroupPriority = 18_000

/** Places of versions that do not follow from their stability, as in the reference. */
const versionPriorities: Readonly<Record<string, number>> = {
  "/v1": 1,
  "autoscaling/v2": 30,
  "flowcontrol.apiserver.orch.io/v1": 21,
  "flowcontrol.apiserver.orch.io/v1beta3": 18,
  "admissionregistration.orch.io/v1beta1": 12,
  "admissionregistration.orch.io/v1alpha1": 9,
  "internal.apiserver.orch.io/v1alpha1": 9,
  "resource.orch.io/v1alpha2": 9,
  "storagemigration.orch.io/v1alpha1": 9,
}

/** Places of a group and of a version within it, as APIServices state them: the highest comes first. */
export interface ApiPriority {
  readonly group: number
  readonly version: number
}

/** The reference's places of all group versions of custom resource definitions, which their names then order. */
export const usersPriority: ApiPriority = { group: usersGroupPriority, version: 100 }

/** Called for each group version of the kinds of a start. Names are neutral. */
export function apiPriorityOf(group: string, version: string): ApiPriority {
  const known = group === "" ? coreGroupPriority : groupPriorities[group]
  if (known === undefined) return usersPriority
  const byStability = version.includes("alpha") ? 1 : version.includes("beta") ? 9 : 15
  return { group: known, version: versionPriorities[`${group}/${version}`] ?? byStability }
}

/** Compares neutral group names: built-in groups by priority, then custom groups by name. */
export function compareGroups(left: string, right: string): number {
  return priority(right) - priority(left) || compareText(left, right)
}

function priority(group: string): number {
  return groupPriorities[group] ?? usersGroupPriority
}

interface ParsedVersion {
  readonly major: number
  /** 3 stable, 2 beta, 1 alpha. */
  readonly stability: number
  readonly minor: number
}

/**
 * Compares versions, preferred one first: stable before beta before alpha, newer before older, then names that are not
 * versions, alphabetically. This is the rule for custom resource definitions; the built-in groups follow it as well.
 */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [parseVersion(left), parseVersion(right)]
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined) || compareText(left, right)
  return other.stability - one.stability || other.major - one.major || other.minor - one.minor
}

function parseVersion(text: string): ParsedVersion | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(text)
  if (match === null) return undefined
  const [, major, word, minor] = match
  return { major: Number(major), stability: word === undefined ? 3 : word === "beta" ? 2 : 1, minor: Number(minor ?? 0) }
}

/** Compares by code units, the order of all lists in the API. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
