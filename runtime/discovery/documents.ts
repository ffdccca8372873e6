/** Discovery documents as plain objects, built from the kind table: groups, their versions and resources. */
import { createHash } from "node:crypto"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Kind, Subresource, Verb } from "../schema/kind.ts"
import type { Vendor } from "../base/vendor.ts"
import { compareGroups, compareText, compareVersions } from "../registry/group-order.ts"

/** One group, in neutral names. The core group is "". */
export interface ServedGroup {
  readonly group: string
  /** Preferred version first. */
  readonly versions: readonly ServedVersion[]
}

export interface ServedVersion {
  readonly group: string
  readonly version: string
  /** By resource name. */
  readonly kinds: readonly Kind[]
}

/** Groups in the order of discovery. The core group is sorted like the others; callers pick it out. */
export function servedGroups(kinds: readonly Kind[]): readonly ServedGroup[] {
  const groups = [...new Set(kinds.map((kind) => kind.group))].sort(compareGroups)
  return groups.map((group) => {
    const ofGroup = kinds.filter((kind) => kind.group === group)
    const versions = [...new Set(ofGroup.map((kind) => kind.version))].sort(compareVersions)
    return { group, versions: versions.map((version) => servedVersion(ofGroup, group, version)) }
  })
}

function servedVersion(ofGroup: readonly Kind[], group: string, version: string): ServedVersion {
  const kinds = ofGroup.filter((kind) => kind.version === version).sort((left, right) => compareText(left.resource, right.resource))
  return { group, version, kinds }
}

/** The address of this server for clients in any network. */
function serverAddresses(address: string): JsonObject[] {
  return [{ clientCIDR: "0.0.0.0/0", serverAddress: address }]
}

/** The document of `/api`. Like the reference's it has no apiVersion. */
export function apiVersions(core: ServedGroup | undefined, serverAddress: string): ApiObject {
  return {
    kind: "APIVersions",
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: serverAddresses(serverAddress),
  }
}

/** The document of `/apis`. Like the document of a group, it contains no address: clients know where they asked. */
export function apiGroupList(groups: readonly ServedGroup[], vendor: Vendor): ApiObject {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((group) => groupFields(group, vendor)) }
}

/** The document of `/apis/<group>`. */
export function apiGroup(group: ServedGroup, vendor: Vendor): ApiObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFields(group, vendor) }
}

function groupFields(group: ServedGroup, vendor: Vendor): JsonObject {
  const versions = group.versions.map(({ version }) => ({ groupVersion: vendor.apiVersion(groupVersion(group.group, version)), version }))
  return { name: vendor.group(group.group), versions, preferredVersion: versions[0] ?? {} }
}

/** The document of `/api/v1`, without apiVersion, and of `/apis/<group>/<version>`. */
export function apiResourceList(served: ServedVersion, vendor: Vendor): ApiObject {
  return {
    kind: "APIResourceList",
    ...(served.group !== "" && { apiVersion: "v1" }),
    groupVersion: vendor.apiVersion(groupVersion(served.group, served.version)),
    resources: served.kinds.flatMap((kind) => [
      resource(kind, vendor),
      ...sortedSubresources(kind).map((subresource) => subresourceEntry(kind, subresource, vendor)),
    ]),
  }
}

/** `apps/v1`, and `v1` for the core group. */
export function groupVersion(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`
}

function resource(kind: Kind, vendor: Vendor): JsonObject {
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: shownVerbs(kind),
    ...(kind.shortNames.length > 0 && { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length > 0 && { categories: [...kind.categories] }),
    ...(isStored(kind) && { storageVersionHash: storageVersionHash(kind, vendor) }),
  }
}

/**
 * Verbs for discovery, sorted. A custom kind has the reference's own order, without the verbs that a terminating
 * definition refuses.
 */
export function shownVerbs({ custom, verbs }: Kind): Verb[] {
  if (custom === undefined) return [...verbs].sort(compareText)
  return custom.isTerminating ? verbs.filter((verb) => verb !== "create" && verb !== "patch" && verb !== "update") : [...verbs]
}

function subresourceEntry(kind: Kind, subresource: Subresource, vendor: Vendor): JsonObject {
  const body = bodyKind(kind, subresource, vendor)
  return {
    name: `${kind.resource}/${subresource.name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(body.version !== "" && { group: body.group, version: body.version }),
    kind: body.kind,
    verbs: [...subresource.verbs].sort(compareText),
  }
}

export function sortedSubresources(kind: Kind): readonly Subresource[] {
  if (kind.custom !== undefined) return kind.subresources
  return [...kind.subresources].sort((left, right) => compareText(left.name, right.name))
}

/**
 * The kind that a sub-resource reads and writes, in wire names. Group and version are empty when they are the parent's.
 */
export function bodyKind(kind: Kind, subresource: Subresource, vendor: Vendor): { group: string; version: string; kind: string } {
  const body = subresource.kind ?? (subresource.type === "scale" ? { group: "autoscaling", version: "v1", kind: "Scale" } : kind)
  if (body.group === kind.group && body.version === kind.version) return { group: "", version: "", kind: body.kind }
  return { group: vendor.group(body.group), version: body.version, kind: body.kind }
}

/** Kinds that are create-only (reviews) or computed (component statuses) are not stored. */
function isStored(kind: Kind): boolean {
  return kind.verbs.includes("create") && kind.verbs.includes("get")
}

/**
 * A hash that changes when objects of this kind are stored in another version: eight bytes of a hash of the stored
 * kind's name.
 */
function storageVersionHash(kind: Kind, vendor: Vendor): string {
  const { group, version, hashedVersion = version, kind: name } = kind.storage
  return createHash("sha256")
    .update(`${vendor.group(group)}/${hashedVersion}/${name}`)
    .digest()
    .subarray(0, 8)
    .toString("base64")
}
