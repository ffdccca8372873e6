/**
 * The acts of the API: each way to use each resource and sub-resource that discovery names. Every write is a dry run,
 * so an act may be repeated.
 */
import type { JsonObject, JsonValue } from "../../../runtime/base/json.ts"
import { leastObjects } from "../../support/least-objects.ts"

/** One request. `of` and `way` name it in the table. */
export interface Act {
  /** The resource or sub-resource: `apps/v1 deployments/scale`. */
  readonly of: string
  readonly way: string
  readonly place: ActPlace
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly body?: JsonValue
  /** The answer does not end by itself. */
  readonly isWatch?: true
}

/** The target that authorizers are asked about, with the group as on the wire. */
export interface ActPlace {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** An entry of a discovery document, with the group and version of the document. */
export interface Discovered {
  readonly groupVersion: string
  /** `deployments`, `deployments/scale` */
  readonly name: string
  readonly namespaced: boolean
  readonly kind: string
}

const namespace = "default"
const existing = "acts-one"
const missing = "acts-missing"

const question = { verb: "get", resource: "pods", namespace }
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }]

/** Objects whose acts need more than the least fields, and bodies of kinds that are not stored. */
const objects: Readonly<Record<string, JsonObject>> = {
  TokenReview: { spec: { token: "no-token" } },
  SubjectAccessReview: { spec: { user: "bob", resourceAttributes: question } },
  LocalSubjectAccessReview: { spec: { user: "bob", resourceAttributes: question } },
  SelfSubjectAccessReview: { spec: { resourceAttributes: question } },
  SelfSubjectRulesReview: { spec: { namespace } },
  Binding: { target: { kind: "Node", name: existing } },
  ResourceSlice: { driverName: "disks.example.com", namedResources: { instances: [{ name: "a" }] } },
  RoleBinding: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: existing } },
  ClusterRoleBinding: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: existing } },
  Role: { rules },
  ClusterRole: { rules },
}

/** The object of a kind that acts change. The caller must store it first. */
export function storedObject({ groupVersion, name: resource, namespaced, kind }: Discovered): JsonObject {
  const { metadata, ...content } = objects[kind] ?? leastObjects[kind === "Event" ? eventKey(groupVersion) : kind] ?? {}
  // Reviews have no names.
  const place = { ...(!isReview(kind) && { name: existing }), ...(namespaced && resource !== "namespaces" && { namespace }) }
  return { apiVersion: groupVersion, kind, metadata: { ...place, ...(metadata as JsonObject | undefined) }, ...content }
}

function isReview(kind: string): boolean {
  return kind.endsWith("Review")
}

function eventKey(groupVersion: string): string {
  return groupVersion === "v1" ? "v1 Event" : "events Event"
}

const { trustBundle = "" } = (leastObjects.ClusterTrustBundle?.spec ?? {}) as { readonly trustBundle?: string }
const certificate = Buffer.from(trustBundle)
const moreRules = [{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }]
const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" }]

/**
 * Fields that updates and patches change where a label says too little: their change needs a further right. The keys
 * are resources or kinds of sub-resources.
 */
const changes: Readonly<Record<string, JsonObject>> = {
  roles: { rules: moreRules },
  clusterroles: { rules: moreRules },
  rolebindings: { subjects },
  clusterrolebindings: { subjects },
  "certificatesigningrequests/approval": {
    status: { conditions: [{ type: "Approved", status: "True", reason: "Acts", message: "" }] },
  },
  "certificatesigningrequests/status": { status: { certificate: certificate.toString("base64") } },
}

/** Bodies of sub-resources with a kind of their own. */
const bodies: Readonly<Record<string, JsonObject>> = {
  Scale: { spec: { replicas: 1 } },
  Binding: { target: { kind: "Node", name: existing } },
  Eviction: {},
  TokenRequest: { spec: { audiences: [], expirationSeconds: 600 } },
}
const bodyVersions: Readonly<Record<string, string>> = {
  Scale: "autoscaling/v1",
  Binding: "v1",
  Eviction: "policy/v1",
  TokenRequest: "authentication.k8s.io/v1",
}

interface ActBase {
  readonly of: string
  readonly place: ActPlace
  /** `/apis/apps/v1` */
  readonly root: string
  /** The path without the name of an object. */
  readonly collection: string
  readonly body: JsonObject
  readonly change: JsonObject
  /** An object that does not exist. */
  readonly absent: JsonObject
}

/** Kinds whose names follow from their content. */
const missingObjects: Readonly<Record<string, JsonObject>> = {
  IPAddress: { metadata: { name: "10.0.0.2" } },
  StorageVersion: { metadata: { name: "acts.missing" } },
  APIService: {
    metadata: { name: "v2.example.com" },
    spec: { group: "example.com", version: "v2", groupPriorityMinimum: 1, versionPriority: 1 },
  },
  CustomResourceDefinition: {
    metadata: { name: "bs.example.com" },
    spec: { ...(leastObjects.CustomResourceDefinition?.spec as JsonObject), names: { plural: "bs", kind: "B" } },
  },
}

/** An object of the kind that is not stored. */
function missingObject(discovered: Discovered): JsonObject {
  const least = storedObject(discovered)
  const name = isReview(discovered.kind) ? {} : { name: missing }
  const metadata = { ...(least.metadata as JsonObject), ...name, ...(missingObjects[discovered.kind]?.metadata as JsonObject | undefined) }
  return { ...least, ...missingObjects[discovered.kind], metadata }
}

/** Whether a question is the content of a review, and no condition of its creation. */
export function isReviewed({ of }: Act, index: number): boolean {
  return index > 0 && of.includes("accessreviews")
}

/** All acts on a resource or sub-resource, of an object that is stored as `stored` if its kind is stored. */
export function actsOn(discovered: Discovered, stored: JsonObject): readonly Act[] {
  const { groupVersion, namespaced } = discovered
  const [resource = "", subresource = ""] = discovered.name.split("/")
  const [version = "", group = ""] = groupVersion.split("/").toReversed()
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  const { name = existing } = stored.metadata as { readonly name?: string }
  const inNamespace = namespaced && resource !== "namespaces"
  const base: ActBase = {
    of: `${groupVersion} ${discovered.name}`,
    place: { group, version, resource, subresource, namespace: inNamespace ? namespace : "", name },
    root,
    collection: `${root}${inNamespace ? `/namespaces/${namespace}` : ""}/${resource}`,
    body: subresource === "" ? stored : subresourceBody(discovered, stored),
    absent: missingObject(discovered),
    change: changes[discovered.name] ?? { metadata: { labels: { acts: "changed" } } },
  }
  const acts = subresource === "" ? objectActs(base) : subresourceActs(base)
  return resource === "namespaces" ? acts.map(inItself) : acts
}

/** To authorizers, the namespace of a Namespace is its own name, unless a field selector names it. */
function inItself(act: Act): Act {
  return act.path.includes("fieldSelector") ? act : { ...act, place: { ...act.place, namespace: act.place.name } }
}

function subresourceBody({ kind }: Discovered, stored: JsonObject): JsonObject {
  const { name, namespace: within } = stored.metadata as JsonObject
  const body = bodies[kind]
  if (body === undefined) return stored
  return {
    apiVersion: bodyVersions[kind] ?? "",
    kind,
    metadata: { name: name ?? "", ...(within !== undefined && { namespace: within }) },
    ...body,
  }
}

function objectActs(base: ActBase): readonly Act[] {
  const { of, place, root, collection, absent: created } = base
  const path = `${collection}/${place.name}`
  const all = { ...place, name: "" }
  const { name: absentName = missing } = created.metadata as { readonly name?: string }
  const absent = { ...place, name: absentName }
  const absentPath = `${collection}/${absent.name}`
  const selection = `fieldSelector=metadata.name%3D${place.name}`
  const watched = collection.replace(root, `${root}/watch`)
  const everywhere = { ...all, namespace: "" }
  return [
    { of, way: "GET", method: "GET", path, place },
    { of, way: "HEAD", method: "HEAD", path, place },
    { of, way: "LIST", method: "GET", path: collection, place: all },
    { of, way: "LIST one", method: "GET", path: `${collection}?${selection}`, place },
    ...(place.namespace === ""
      ? []
      : [{ of, way: "LIST everywhere", method: "GET", path: `${root}/${place.resource}`, place: everywhere }]),
    { of, way: "WATCH", method: "GET", path: `${collection}?watch=1`, place: all, isWatch: true },
    { of, way: "WATCH one", method: "GET", path: `${collection}?watch=1&${selection}`, place, isWatch: true },
    { of, way: "WATCH by path", method: "GET", path: watched, place: all, isWatch: true },
    { of, way: "WATCH one by path", method: "GET", path: `${watched}/${place.name}`, place, isWatch: true },
    { of, way: "POST", method: "POST", path: `${collection}?dryRun=All`, place: all, contentType: json, body: created },
    ...changingActs(base, path),
    { of, way: "PUT missing", method: "PUT", path: `${absentPath}?dryRun=All`, place: absent, contentType: json, body: created },
    { of, way: "APPLY missing", method: "PATCH", path: applied(absentPath), place: absent, contentType: apply, body: created },
    { of, way: "DELETE", method: "DELETE", path: `${path}?dryRun=All`, place },
    { of, way: "DELETE collection", method: "DELETE", path: `${collection}?dryRun=All`, place: all },
  ]
}

function subresourceActs(base: ActBase): readonly Act[] {
  const { of, place, collection, body } = base
  const path = `${collection}/${place.name}/${place.subresource}`
  return [
    { of, way: "GET", method: "GET", path, place },
    { of, way: "HEAD", method: "HEAD", path, place },
    { of, way: "POST", method: "POST", path: `${path}?dryRun=All`, place, contentType: json, body },
    ...changingActs(base, path),
    { of, way: "DELETE", method: "DELETE", path: `${path}?dryRun=All`, place },
  ]
}

const json = "application/json"
const apply = "application/apply-patch+yaml"

function applied(path: string): string {
  return `${path}?dryRun=All&fieldManager=acts&force=true`
}

function changingActs({ of, place, body, change }: ActBase, path: string): readonly Act[] {
  const { apiVersion = "", kind = "", metadata } = body
  const { name = existing, namespace: within } = metadata as JsonObject
  const identity = { name, ...(within !== undefined && { namespace: within }) }
  const configuration = { apiVersion, kind, ...change, metadata: { ...(change.metadata as JsonObject | undefined), ...identity } }
  const operations = Object.entries(change).map(([field, value]) =>
    field === "metadata"
      ? { op: "add", path: "/metadata/labels", value: (value as JsonObject).labels ?? {} }
      : { op: "add", path: `/${field}`, value },
  )
  const changed = { ...body, ...change, metadata: { ...(metadata as JsonObject), ...(change.metadata as JsonObject | undefined) } }
  const dry = `${path}?dryRun=All`
  return [
    { of, way: "PUT", method: "PUT", path: dry, place, contentType: json, body: changed },
    { of, way: "PATCH json", method: "PATCH", path: dry, place, contentType: "application/json-patch+json", body: operations },
    { of, way: "PATCH merge", method: "PATCH", path: dry, place, contentType: "application/merge-patch+json", body: change },
    { of, way: "PATCH strategic", method: "PATCH", path: dry, place, contentType: "application/strategic-merge-patch+json", body: change },
    { of, way: "APPLY", method: "PATCH", path: applied(path), place, contentType: apply, body: configuration },
  ]
}
