/**
 * Parses the path and method of a request; specification sections 4.1 and 4.2. Segments are split after decoding, as in
 * the reference: an encoded slash in a name makes a longer path, never another object.
 */
import { detachString } from "../../base/own-text.ts"
import { knownPathCharactersMax, knownPathsMax } from "../../base/limits.ts"
import type { RequestInfo, RequestVerb } from "./request-info.ts"
import type { Vendor } from "../../base/vendor.ts"

/**
 * Only these methods, in upper case, have a verb: HTTP/2 accepts any word as a method, and `list` or `deletecollection`
 * would otherwise be verbs that pass a proxy in front. A switch is faster than a lookup here.
 */
function verbOfMethod(method: string): RequestVerb {
  switch (method) {
    case "GET":
    case "HEAD":
      return "get"
    case "POST":
      return "create"
    case "PUT":
      return "update"
    case "PATCH":
      return "patch"
    case "DELETE":
      return "delete"
    default:
      return ""
  }
}

/**
 * HEAD and OPTIONS of non-resource paths change nothing; kube-apiserver counts them as mutating, like all other verbs.
 */
export const readOnlyVerbs: ReadonlySet<string> = new Set(["get", "list", "watch", "head", "options"])

/** Sub-resources of a namespace; any other segment after a namespace is a resource in it. */
const namespaceSubresources = new Set(["status", "finalize"])

/** The part of a path that all objects of a collection share. */
type CollectionPath = Pick<RequestInfo, "group" | "version" | "namespace" | "resource">

interface RequestPath {
  readonly method: string
  readonly path: string
  readonly watch: boolean
}

/** Parses the paths of one server. Most requests name known collections, whose paths need no parsing again. */
export class RequestInfoReader {
  /** Keys are the parts of paths before the name of an object, including the slash. */
  private readonly ofObjects = new Map<string, CollectionPath>()
  /** Keys are the whole paths of collections. */
  private readonly ofCollections = new Map<string, CollectionPath>()

  constructor(private readonly vendor: Vendor) {}

  /** As `parseRequestInfo`, with a cache. */
  read(asked: RequestPath): RequestInfo {
    const { path } = asked
    const nameAt = path.lastIndexOf("/") + 1
    const objects = nameAt === path.length ? undefined : this.ofObjects.get(path.slice(0, nameAt))
    if (objects !== undefined) return infoAt(objects, asked, path.slice(nameAt))
    const collection = this.ofCollections.get(path)
    if (collection !== undefined) return infoAt(collection, asked, "")
    if (path.length > knownPathCharactersMax) return parseRequestInfo({ ...asked, vendor: this.vendor })
    // The path is a slice of the request's target; caching the slice would retain the whole target.
    const info = parseRequestInfo({ ...asked, path: detachString(path), vendor: this.vendor })
    this.keep(info, nameAt)
    return info
  }

  /**
   * Caches only paths that end in a name or a collection: later segments may change the meaning of earlier ones.
   */
  private keep({ isResource, watchPath, subresource, name, path, group, version, namespace, resource }: RequestInfo, nameAt: number): void {
    if (!isResource || watchPath || subresource !== "") return
    const place = { group, version, namespace, resource }
    if (name === "") remember(this.ofCollections, path, place)
    else if (path.endsWith(`/${name}`)) remember(this.ofObjects, path.slice(0, nameAt), place)
  }
}

function remember(places: Map<string, CollectionPath>, path: string, place: CollectionPath): void {
  if (places.size >= knownPathsMax) places.clear()
  places.set(path, place)
}

const noTail: readonly string[] = []

function infoAt({ group, version, namespace, resource }: CollectionPath, { method, path, watch }: RequestPath, name: string): RequestInfo {
  const verb = verbOf({ method, name, watch, watchPath: false })
  return {
    isResource: true,
    verb,
    method,
    path,
    group,
    version,
    namespace,
    resource,
    subresource: "",
    name,
    tail: noTail,
    watchPath: false,
  }
}

/** `watch` is the value of the query parameter, which turns a list into a watch. Never throws. */
export function parseRequestInfo(options: RequestPath & { readonly vendor: Vendor }): RequestInfo {
  const { method, path, vendor } = options
  const segments = segmentsOf(path)
  const grouped = segments[0] === "apis"
  const head = grouped ? 3 : 2
  if ((segments[0] !== "api" && !grouped) || segments.length < head) return nonResourcePath(method, path, { group: "", version: "" })
  const group = grouped ? vendor.neutralGroup(segments[1] ?? "") : ""
  const version = segments[head - 1] ?? ""
  const watchPath = segments[head] === "watch" && segments.length > head + 1
  const rest = segments.slice(watchPath ? head + 1 : head)
  if (rest.length === 0) return nonResourcePath(method, path, { group, version })
  const { namespace, resource, subresource, name, tail } = nameParts(rest)
  const verb = verbOf({ method, name, watch: options.watch, watchPath })
  return { isResource: true, verb, method, path, group, version, namespace, resource, subresource, name, tail, watchPath }
}

/** Without leading and trailing slashes. */
function segmentsOf(path: string): string[] {
  const start = path.startsWith("/") ? 1 : 0
  let end = path.length
  while (end > start && path[end - 1] === "/") end--
  return path.slice(start, end).split("/")
}

function nonResourcePath(method: string, path: string, { group, version }: { group: string; version: string }): RequestInfo {
  const verb = method.toLowerCase()
  const none = { namespace: "", resource: "", subresource: "", name: "", tail: [] }
  return { isResource: false, verb, method, path, group, version, ...none, watchPath: false }
}

interface NameParts {
  readonly namespace: string
  readonly resource: string
  readonly name: string
  readonly subresource: string
  readonly tail: readonly string[]
}

function nameParts(rest: readonly string[]): NameParts {
  const inNamespace = rest[0] === "namespaces" && rest.length > 2 && !(rest.length === 3 && namespaceSubresources.has(rest[2] ?? ""))
  const namespace = inNamespace ? (rest[1] ?? "") : ""
  const first = inNamespace ? 2 : 0
  return {
    namespace,
    resource: rest[first] ?? "",
    name: rest[first + 1] ?? "",
    subresource: rest[first + 2] ?? "",
    tail: rest.slice(first + 3),
  }
}

/**
 * The query parameter applies to collections only. The deprecated path form also watches one object, and has this verb
 * with each method: it is the path that is authorized.
 */
function verbOf(options: { method: string; name: string; watch: boolean; watchPath: boolean }): RequestVerb {
  const { method, name, watch, watchPath } = options
  if (watchPath) return "watch"
  const verb = verbOfMethod(method)
  if (name !== "") return verb
  if (verb === "get") return watch ? "watch" : "list"
  return verb === "delete" ? "deletecollection" : verb
}
