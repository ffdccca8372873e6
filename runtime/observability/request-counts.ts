/** Counts requests for `/metrics`. Labels only take values that the server knows, so their number is bounded. */
import { STATUS_CODES } from "node:http"
import type { Kind } from "../schema/kind.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { KindTable } from "../registry/kinds.ts"
import type { Vendor } from "../base/vendor.ts"
import { compareText } from "../registry/group-order.ts"

/** Verbs in the reference's spelling. A Map, because clients choose the method, for example `constructor`. */
const verbNames: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["post", "POST"],
  ["update", "PUT"],
  ["put", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
  ["head", "HEAD"],
  ["options", "OPTIONS"],
])

/** First segments of paths without a resource. */
const knownRoots = new Set(["api", "apis", "healthz", "livez", "metrics", "openapi", "readyz", "version"])

/** Created once per server. */
export class RequestCounts {
  /**
   * Undefined: paths without a resource. There are few counters per kind and status, so a linear search is cheaper than
   * building a key.
   */
  private readonly counters = new Map<Kind | undefined, Map<Code, Counter[]>>()

  constructor(
    private readonly kinds: KindTable,
    private readonly vendor: Vendor,
  ) {}

  /** Called for every answered request; for a watch when it begins. `code` is the HTTP status. */
  record(request: Pick<RequestContext, "info" | "query">, code: number): void {
    const { info } = request
    const kind = info.isResource ? this.kinds.find(info.group, info.version, info.resource) : undefined
    const seen = seenOf(kind, request, codeOf(code))
    const ofKind = this.counters.get(kind) ?? new Map<Code, Counter[]>()
    if (ofKind.size === 0) this.counters.set(kind, ofKind)
    const counters = ofKind.get(seen.code) ?? []
    if (counters.length === 0) ofKind.set(seen.code, counters)
    const known = counters.find((counter) => isSame(counter, seen))
    if (known === undefined) counters.push({ ...seen, count: 1 })
    else known.count++
  }

  /** The labels in their written form and the count, sorted. */
  samples(): readonly (readonly [labels: string, count: number])[] {
    const all = [...this.counters].flatMap(([kind, ofKind]) =>
      [...ofKind.values()].flat().map((one) => [this.labels(kind, one), one.count] as const),
    )
    return all.sort(([left], [right]) => compareText(left, right))
  }

  private labels(kind: Kind | undefined, { code, verb, subresource, scope, dryRun }: RequestLabels): string {
    const { group, resource, version } = kind === undefined ? noKind : { ...kind, group: this.vendor.group(kind.group) }
    const counted = `code="${code}",component="apiserver",dry_run="${dryRun}"`
    return `${counted},group="${group}",resource="${resource}",scope="${scope}",subresource="${subresource}",verb="${verb}",version="${version}"`
  }
}

const noKind = { group: "", resource: "", version: "" }

/** A standard status; other ones, which backends behind proxies may use, by their class: `4xx`. */
type Code = number | `${number}xx` | "other"

function codeOf(status: number): Code {
  if (STATUS_CODES[status] !== undefined) return status
  const hundred = Math.floor(status / 100)
  return hundred >= 1 && hundred <= 5 ? `${hundred}xx` : "other"
}

/** What distinguishes the requests for one kind. */
interface RequestLabels {
  readonly code: Code
  readonly verb: string
  /** For a path without a resource: its first segment, if known. */
  readonly subresource: string
  readonly scope: string
  readonly dryRun: string
}

interface Counter extends RequestLabels {
  count: number
}

function seenOf(kind: Kind | undefined, { info, query }: Pick<RequestContext, "info" | "query">, code: Code): RequestLabels {
  const verb = verbNames.get(info.verb) ?? "OTHER"
  if (kind === undefined) {
    const root = info.path.split("/", 2)[1] ?? ""
    return { code, verb, subresource: knownRoots.has(root) ? root : "", scope: "", dryRun: "" }
  }
  const subresource = kind.subresources.some(({ name }) => name === info.subresource) ? info.subresource : ""
  const scope = info.name !== "" || info.verb === "create" ? "resource" : info.namespace !== "" ? "namespace" : "cluster"
  return { code, verb, subresource, scope, dryRun: query.get("dryRun") === "All" ? "All" : "" }
}

function isSame(one: RequestLabels, other: RequestLabels): boolean {
  return one.verb === other.verb && one.scope === other.scope && one.subresource === other.subresource && one.dryRun === other.dryRun
}
