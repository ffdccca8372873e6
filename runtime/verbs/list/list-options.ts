/** Reads the options of list and watch requests and converts them for the registry; specification section 4.6. */
import { badRequest, invalid } from "../../base/errors.ts"
import type { Failure } from "../../base/failure.ts"
import type { Kind } from "../../schema/kind.ts"
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  selectableFieldCheck,
} from "../../query/selector.ts"
import { labelsWork, readWork, requirementWork } from "../../base/work.ts"
import { type Freshness, parseRevision } from "../../registry/read.ts"
import type { KindHandle } from "../../registry/registry.ts"
import type { Selected } from "../../storage/cache.ts"
import { booleanParameter, integerParameter, textParameter } from "../../http/request/query.ts"
import { extendedFieldFilter, syntaxParameter, wantsExtendedSyntax } from "./list-extensions.ts"
import type { ObjectFilter, ObjectWork } from "../../registry/object-filter.ts"

export interface ListOptions {
  readonly resourceVersion: string
  readonly match: string
  readonly limit: number
  readonly continueToken: string
  readonly timeoutSeconds?: number
  readonly allowBookmarks: boolean
  readonly sendInitialEvents?: boolean
  /** Extension: the fields to sort by; "" for none. */
  readonly sortBy: string
  /** Extension: return only the number of objects. */
  readonly count: boolean
}

/**
 * Reads everything but the selectors. `watchList`: the gate that `sendInitialEvents` needs. `extensions`: whether
 * sorting and counting are available; if not, they are refused rather than ignored. Throws 400 or 422.
 */
export function readListOptions(
  query: URLSearchParams,
  options: { watch: boolean; watchList: boolean; extensions?: boolean },
): ListOptions {
  const timeoutSeconds = integerParameter(query, "timeoutSeconds")
  const sendInitialEvents = booleanParameter(query, "sendInitialEvents")
  const read: ListOptions = {
    resourceVersion: textParameter(query, "resourceVersion"),
    match: textParameter(query, "resourceVersionMatch"),
    limit: Math.max(0, integerParameter(query, "limit") ?? 0),
    continueToken: textParameter(query, "continue"),
    allowBookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    sortBy: textParameter(query, "sortBy"),
    count: booleanParameter(query, "count") ?? false,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
  }
  const failures = options.watch ? watchFailures(read, options.watchList) : listFailures(read)
  failures.push(...extensionFailures(read, options.extensions === true))
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

function extensionFailures({ sortBy, count, limit, continueToken }: ListOptions, allowed: boolean): Failure[] {
  const failures: Failure[] = []
  if (sortBy !== "" && !allowed) failures.push(forbids("sortBy", "only lists are sorted"))
  if (sortBy !== "" && count) failures.push(forbids("sortBy", "a count has no order: leave out sortBy or count"))
  if (!count) return failures
  if (!allowed) failures.push(forbids("count", "only lists are counted"))
  if (limit > 0 || continueToken !== "") failures.push(forbids("count", "a count has no pages: leave out limit and continue, or count"))
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

/** Freshness of a list, from the tables of section 4.6. Throws 400. */
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

/** Freshness of a get: unset, 0, or another version. Throws 400. */
export function getFreshness(query: URLSearchParams): Freshness {
  const resourceVersion = textParameter(query, "resourceVersion")
  if (resourceVersion === "") return { mode: "most-recent" }
  const revision = parseRevision(resourceVersion)
  return revision === 0 ? { mode: "any" } : { mode: "not-older", revision }
}

export interface Selection {
  /** Absent: no selector. */
  readonly filter?: ObjectFilter
  /** Time that the filter takes for an object, in microseconds. */
  readonly filterWork?: ObjectWork
  /** A label or field value that the filter requires. `sole`: the filter checks nothing else. */
  readonly selected?: Selected & { readonly sole: boolean }
  /** The name that a field selector requires. */
  readonly name?: string
  /** The text of both selectors, to which a continue token is bound. */
  readonly text: string
}

/** Reads the selectors of a collection request. Throws 400 with the position or the field at fault. */
export function readSelection(query: URLSearchParams, handle: KindHandle): Selection {
  const labelText = textParameter(query, "labelSelector")
  const fieldText = textParameter(query, "fieldSelector")
  const extended = wantsExtendedSyntax(query)
  if (labelText === "" && fieldText === "") return { text: "" }
  const labels = parseLabelSelector(labelText)
  const fields: FieldSelection = extended ? extendedFieldFilter(handle, fieldText) : plainFieldFilter(handle.kind, fieldText)
  const text = `${labelText}\0${fieldText}${extended ? `\0${syntaxParameter}` : ""}`
  const filter = both(labels.empty ? undefined : (object) => labels.matches(object.labels()), fields.filter)
  if (filter === undefined) return { text }
  const selected = requiredLabel(labels, fields.filter === undefined) ?? fields.selected
  return {
    filter,
    filterWork: workOf(labels, fields),
    text,
    ...(selected !== undefined && { selected: selected.of === "field" && !labels.empty ? { ...selected, sole: false } : selected }),
    ...(fields.name !== undefined && { name: fields.name }),
  }
}

/** The part of a selection that a field selector defines. */
interface FieldSelection extends Pick<Selection, "selected" | "name"> {
  readonly filter?: ObjectFilter
  /** Number of requirements. */
  readonly requirements: number
}

/** Microseconds per value of a requirement, which are compared one by one. */
const valueWork = 0.01

/** Time of a filter for an object. Field selectors decode the object, unless the keys of its fields are cached. */
function workOf({ requirements }: LabelSelector, fields: FieldSelection): ObjectWork {
  let asked = fields.requirements * requirementWork
  for (const { values } of requirements) asked += requirementWork + values.length * valueWork
  if (requirements.length > 0) asked += labelsWork
  return fields.filter === undefined ? () => asked : (object) => asked + readWork(object)
}

/** The first label for which the selector requires one value. `sole`: the filter checks nothing else. */
function requiredLabel({ requirements }: LabelSelector, isAll: boolean): Selection["selected"] {
  for (const { key, operator, values } of requirements) {
    const [value] = values
    if (value !== undefined && values.length === 1 && (operator === "=" || operator === "==" || operator === "in"))
      return { of: "label", name: key, value, sole: isAll && requirements.length === 1 }
  }
  return undefined
}

function both(first: ObjectFilter | undefined, second: ObjectFilter | undefined): ObjectFilter | undefined {
  return first === undefined || second === undefined ? (first ?? second) : (object) => first(object) && second(object)
}

function plainFieldFilter(kind: Kind, text: string): FieldSelection {
  const own = kind.selectable.map((field) => field.name)
  const { namespaced, custom, notSelectable: message } = kind
  const options = { namespaced, custom: custom !== undefined, ...(message !== undefined && { message }) }
  const fields = parseFieldSelector(text, selectableFieldCheck(own, options))
  const requirements = fields.requirements.length
  if (fields.empty) return { requirements }
  const name = fields.required("metadata.name")
  const selected = requiredField(own, fields)
  return {
    filter: (object) => fields.matches((field) => object.field(field)),
    requirements,
    ...(selected !== undefined && { selected: { of: "field", ...selected, sole: requirements === 1 } }),
    ...(name !== undefined && { name }),
  }
}

/** The first of the kind's own fields for which the selector requires one value. */
function requiredField(own: readonly string[], { required }: FieldSelector): { name: string; value: string } | undefined {
  for (const name of own) {
    const value = required(name)
    if (value !== undefined) return { name, value }
  }
  return undefined
}
