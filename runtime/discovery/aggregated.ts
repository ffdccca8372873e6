/**
 * Aggregated discovery: every group with all its resources in one document, so that a client sends two requests instead
 * of one per group version. The shapes are defined by `apidiscovery.orch.io` v2 and v2beta1, which differ in name only.
 */
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import type { TypeShape } from "../schema/shape.ts"
import type { Vendor } from "../base/vendor.ts"
import { compareText } from "../registry/group-order.ts"
import { listMetaShape } from "../wire/status.ts"
import { bodyKind, type ServedGroup, shownVerbs, sortedSubresources } from "./documents.ts"

/** The document of `/api` (the core group alone) and of `/apis` (all others). `version`: `v2`. */
export function groupDiscoveryList(groups: readonly ServedGroup[], version: string, vendor: Vendor): ApiObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: vendor.apiVersion(`apidiscovery.orch.io/${version}`),
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { ...(group !== "" && { name: vendor.group(group) }), creationTimestamp: null },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.kinds.map((kind) => resource(kind, vendor)),
        freshness: "Current",
      })),
    })),
  }
}

function resource(kind: Kind, vendor: Vendor): JsonObject {
  const subresources = sortedSubresources(kind).map((subresource) => ({
    subresource: subresource.name,
    responseKind:
      kind.custom !== undefined && subresource.type === "status" ? responseKind(kind, vendor) : bodyKind(kind, subresource, vendor),
    verbs: [...subresource.verbs].sort(compareText),
  }))
  return {
    resource: kind.resource,
    responseKind: responseKind(kind, vendor),
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: shownVerbs(kind),
    ...(kind.shortNames.length > 0 && { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length > 0 && { categories: [...kind.categories] }),
    ...(subresources.length > 0 && { subresources }),
  }
}

/** Like the reference, omits group and version if they equal the document's, except for custom kinds. */
function responseKind({ group, version, kind, custom }: Kind, vendor: Vendor): JsonObject {
  return custom === undefined ? { group: "", version: "", kind } : { group: vendor.group(group), version, kind }
}

const groupVersionKind: TypeShape = {
  name: "apidiscovery.GroupVersionKind",
  fields: [
    { name: "group", type: { scalar: "string" }, number: 1, keepEmpty: true },
    { name: "version", type: { scalar: "string" }, number: 2, keepEmpty: true },
    { name: "kind", type: { scalar: "string" }, number: 3, keepEmpty: true },
  ],
}

const subresourceDiscovery: TypeShape = {
  name: "apidiscovery.APISubresourceDiscovery",
  fields: [
    { name: "subresource", type: { scalar: "string" }, number: 1, keepEmpty: true },
    { name: "responseKind", type: { ref: () => groupVersionKind }, number: 2, pointer: true },
    { name: "acceptedTypes", type: { list: { ref: () => groupVersionKind } }, number: 3 },
    { name: "verbs", type: { list: { scalar: "string" } }, number: 4, keepEmpty: true },
  ],
}

const resourceDiscovery: TypeShape = {
  name: "apidiscovery.APIResourceDiscovery",
  fields: [
    { name: "resource", type: { scalar: "string" }, number: 1, keepEmpty: true },
    { name: "responseKind", type: { ref: () => groupVersionKind }, number: 2, pointer: true },
    { name: "scope", type: { scalar: "string" }, number: 3, keepEmpty: true },
    { name: "singularResource", type: { scalar: "string" }, number: 4, keepEmpty: true },
    { name: "verbs", type: { list: { scalar: "string" } }, number: 5, keepEmpty: true },
    { name: "shortNames", type: { list: { scalar: "string" } }, number: 6 },
    { name: "categories", type: { list: { scalar: "string" } }, number: 7 },
    { name: "subresources", type: { list: { ref: () => subresourceDiscovery } }, number: 8 },
  ],
}

const versionDiscovery: TypeShape = {
  name: "apidiscovery.APIVersionDiscovery",
  fields: [
    { name: "version", type: { scalar: "string" }, number: 1, keepEmpty: true },
    { name: "resources", type: { list: { ref: () => resourceDiscovery } }, number: 2 },
    { name: "freshness", type: { scalar: "string" }, number: 3 },
  ],
}

/**
 * The document's shape, for its protobuf form. `partial` is the shape of PartialObjectMetadata: the items have the
 * metadata of any object.
 */
export function groupDiscoveryListShape(partial: TypeShape): TypeShape {
  const groupDiscovery: TypeShape = {
    name: "apidiscovery.APIGroupDiscovery",
    fields: [
      ...partial.fields.filter(({ name }) => name === "metadata"),
      { name: "versions", type: { list: { ref: () => versionDiscovery } }, number: 2 },
    ],
  }
  return {
    name: "apidiscovery.APIGroupDiscoveryList",
    fields: [
      { name: "metadata", type: { ref: () => listMetaShape }, number: 1 },
      { name: "items", type: { list: { ref: () => groupDiscovery } }, number: 2, keepEmpty: true },
    ],
  }
}
