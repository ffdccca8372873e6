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
  const plain: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    method,
    path,
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    tail: [],
    watchPath: false,
  }
  const segments = path.replace(/^\//, "").replace(/\/+$/, "").split("/")
  const grouped = segments[0] === "apis"
  if (segments[0] !== "api" && !grouped) return plain
  const head = grouped ? 3 : 2
  if (segments.length < head) return plain
  const group = grouped ? vendor.neutralGroup(segments[1] ?? "") : ""
  const version = segments[head - 1] ?? ""
  let rest = segments.slice(head)
  const watchPath = rest[0] === "watch" && rest.length > 1
  if (watchPath) rest = rest.slice(1)
  if (rest.length === 0) return { ...plain, group, version }
  const named = nameParts(rest)
  return {
    ...plain,
    isResource: true,
    group,
    version,
    ...named,
    watchPath,
    verb: verbOf({ method, named, watch: options.watch, watchPath }),
  }
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
  const [resource = "", name = "", subresource = "", ...tail] = inNamespace ? rest.slice(2) : rest
  return { namespace, resource, name, subresource, tail }
}

/** The query parameter counts on collections only; the deprecated path form also watches one object. */
function verbOf(options: { method: string; named: NameParts; watch: boolean; watchPath: boolean }): RequestVerb {
  const { method, named, watch, watchPath } = options
  const verb = verbOfMethod[method] ?? method.toLowerCase()
  if (verb === "get" && watchPath) return "watch"
  if (named.name !== "") return verb
  if (verb === "get") return watch ? "watch" : "list"
  return verb === "delete" ? "deletecollection" : verb
}
