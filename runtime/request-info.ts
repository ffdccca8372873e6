/**
 * Path and method to what is asked for; specification sections 4.1 and 4.2. Segments are split after decoding, as the reference does: an
 * encoded slash in a name makes a longer path, never another object.
 */
import type { RequestInfo, RequestVerb } from "./request.ts"
import type { Vendor } from "./vendor.ts"

const verbOfMethod: Record<string, RequestVerb> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
}

/** Sub-resources of a namespace itself; any other word behind a namespace is a resource in it. */
const namespaceSubresources = new Set(["status", "finalize"])

/** Called once per request. `watch` is the value of the query parameter: a list that asks for it is a watch. Never throws. */
export function parseRequestInfo(options: { method: string; path: string; watch: boolean; vendor: Vendor }): RequestInfo {
  const { method, path, vendor } = options
  const segments = segmentsOf(path)
  const grouped = segments[0] === "apis"
  const head = grouped ? 3 : 2
  if ((segments[0] !== "api" && !grouped) || segments.length < head) return otherPath(method, path, { group: "", version: "" })
  const group = grouped ? vendor.neutralGroup(segments[1] ?? "") : ""
  const version = segments[head - 1] ?? ""
  const watchPath = segments[head] === "watch" && segments.length > head + 1
  const rest = segments.slice(watchPath ? head + 1 : head)
  if (rest.length === 0) return otherPath(method, path, { group, version })
  const { namespace, resource, subresource, name, tail } = nameParts(rest)
  const verb = verbOf({ method, name, watch: options.watch, watchPath })
  return { isResource: true, verb, method, path, group, version, namespace, resource, subresource, name, tail, watchPath }
}

/** Without the slashes at the ends. */
function segmentsOf(path: string): string[] {
  const start = path.startsWith("/") ? 1 : 0
  let end = path.length
  while (end > start && path[end - 1] === "/") end--
  return path.slice(start, end).split("/")
}

function otherPath(method: string, path: string, { group, version }: { group: string; version: string }): RequestInfo {
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

/** The query parameter counts on collections only; the deprecated path form also watches one object. */
function verbOf(options: { method: string; name: string; watch: boolean; watchPath: boolean }): RequestVerb {
  const { method, name, watch, watchPath } = options
  const verb = verbOfMethod[method] ?? method.toLowerCase()
  if (verb === "get" && watchPath) return "watch"
  if (name !== "") return verb
  if (verb === "get") return watch ? "watch" : "list"
  return verb === "delete" ? "deletecollection" : verb
}
