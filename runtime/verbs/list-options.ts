/** The options of list and watch requests: specification section 4.6 turned into what the registry asks for. */
import { badRequest, invalid } from "../errors.ts"
import type { Failure } from "../kit/failure.ts"
import type { Kind } from "../kit/kind.ts"
import { parseFieldSelector, parseLabelSelector, refuseUnlessOneOf } from "../kit/selector.ts"
import { type Freshness, type ObjectFilter, parseRevision } from "../registry/read.ts"
import { booleanParameter, integerParameter, textParameter } from "../query.ts"

export interface ListOptions {
  readonly resourceVersion: string
  readonly match: string
  readonly limit: number
  readonly continueToken: string
  readonly timeoutSeconds?: number
  readonly allowBookmarks: boolean
  readonly sendInitialEvents?: boolean
}

/** Everything but the selectors. `watchList`: the gate that `sendInitialEvents` needs. Throws 400 or 422. */
export function readListOptions(query: URLSearchParams, options: { watch: boolean; watchList: boolean }): ListOptions {
  const timeoutSeconds = integerParameter(query, "timeoutSeconds")
  const sendInitialEvents = booleanParameter(query, "sendInitialEvents")
  const read: ListOptions = {
    resourceVersion: textParameter(query, "resourceVersion"),
    match: textParameter(query, "resourceVersionMatch"),
    limit: Math.max(0, integerParameter(query, "limit") ?? 0),
    continueToken: textParameter(query, "continue"),
    allowBookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
  }
  const failures = options.watch ? watchFailures(read, options.watchList) : listFailures(read)
  if (failures.length > 0) throw invalid({ group: "meta.orch.io", resource: "ListOptions" }, failures)
  return read
}

function forbids(field: string, detail: string): Failure {
  return { type: "Forbidden", field, detail }
}

function listFailures(options: ListOptions): Failure[] {
  const failures: Failure[] = []
  const field = "resourceVersionMatch"
  if (options.match !== "") {
    if (options.resourceVersion === "")
      failures.push(forbids(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
    if (options.continueToken !== "") failures.push(forbids(field, "resourceVersionMatch is forbidden when continue is provided"))
    if (options.match !== "Exact" && options.match !== "NotOlderThan") {
      failures.push({ type: "NotSupported", field, value: options.match, detail: "", supported: ["Exact", "NotOlderThan", ""] })
    }
    if (options.match === "Exact" && options.resourceVersion === "0")
      failures.push(forbids(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  }
  if (options.sendInitialEvents !== undefined) failures.push(forbids("sendInitialEvents", "sendInitialEvents is forbidden for list"))
  return failures
}

function watchFailures(options: ListOptions, watchList: boolean): Failure[] {
  const failures: Failure[] = []
  const field = "resourceVersionMatch"
  if (options.sendInitialEvents !== undefined) {
    if (options.match !== "NotOlderThan")
      failures.push(forbids(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
    if (!watchList)
      failures.push(forbids("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
  }
  if (options.match === "") return failures
  if (options.sendInitialEvents === undefined)
    failures.push(forbids(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
  if (options.match !== "NotOlderThan")
    failures.push({ type: "NotSupported", field, value: options.match, detail: "", supported: ["NotOlderThan"] })
  if (options.continueToken !== "") failures.push(forbids(field, "resourceVersionMatch is forbidden when continue is provided"))
  return failures
}

/** The rows of the get and list tables. Throws 400. */
export function listFreshness(options: ListOptions): Freshness {
  const { resourceVersion, match } = options
  if (options.continueToken !== "") {
    if (resourceVersion !== "" && resourceVersion !== "0")
      throw badRequest("specifying resource version is not allowed when using continue")
    return { mode: "most-recent" }
  }
  if (resourceVersion === "") return { mode: "most-recent" }
  const revision = parseRevision(resourceVersion)
  if (revision === 0) return { mode: "any" }
  if (match === "Exact") return { mode: "exact", revision }
  if (match === "" && options.limit > 0) return { mode: "exact", revision }
  return { mode: "not-older", revision }
}

/** The get table: unset, 0, other. Throws 400. */
export function getFreshness(query: URLSearchParams): Freshness {
  const resourceVersion = textParameter(query, "resourceVersion")
  if (resourceVersion === "") return { mode: "most-recent" }
  const revision = parseRevision(resourceVersion)
  return revision === 0 ? { mode: "any" } : { mode: "not-older", revision }
}

export interface Selection {
  /** Absent: no selector, everything matches. */
  readonly filter?: ObjectFilter
  /** A field selector pins this name. */
  readonly name?: string
  /** Both selectors as given: part of what a continue token is bound to. */
  readonly text: string
}

/** Label and field selectors of a collection request. Throws 400 with the position or the field that is wrong. */
export function readSelection(query: URLSearchParams, kind: Kind): Selection {
  const labelText = textParameter(query, "labelSelector")
  const fieldText = textParameter(query, "fieldSelector")
  if (labelText === "" && fieldText === "") return { text: "" }
  const labels = parseLabelSelector(labelText)
  const fields = parseFieldSelector(
    fieldText,
    refuseUnlessOneOf(
      kind.selectable.map((field) => field.name),
      kind.namespaced,
    ),
  )
  const pinned = fields.required("metadata.name")
  const text = `${labelText}\0${fieldText}`
  if (labels.empty && fields.empty) return { text }
  const filter: ObjectFilter = (object) =>
    (labels.empty || labels.matches(object.labels())) && fields.matches((field) => object.field(field))
  return { filter, text, ...(pinned !== undefined && { name: pinned }) }
}
