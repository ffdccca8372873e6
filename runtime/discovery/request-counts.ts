/** How many requests were answered, for `/metrics`. Labels take only values that the server itself knows, so their number is bounded. */
import type { RequestContext } from "../request.ts"
import type { KindTable } from "../registry/kinds.ts"
import type { Vendor } from "../vendor.ts"
import { compareText } from "./group-order.ts"

/** Verbs as the reference counts them. */
const verbNames: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  post: "POST",
  update: "PUT",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION",
  head: "HEAD",
  options: "OPTIONS",
}

/** First segments of paths that are no resource's. */
const knownRoots = new Set(["api", "apis", "healthz", "livez", "metrics", "openapi", "readyz", "version"])

/** Made once per server. */
export class RequestCounts {
  private readonly counts = new Map<string, number>()

  constructor(
    private readonly kinds: KindTable,
    private readonly vendor: Vendor,
  ) {}

  /** Called once per answered request. `code` is the HTTP status. */
  record(request: Pick<RequestContext, "info" | "query">, code: number): void {
    const labels = this.labels(request, code)
    this.counts.set(labels, (this.counts.get(labels) ?? 0) + 1)
  }

  /** Each set of labels, as metrics are written, with its count; sorted. */
  samples(): readonly (readonly [labels: string, count: number])[] {
    return [...this.counts].sort(([left], [right]) => compareText(left, right))
  }

  private labels({ info, query }: Pick<RequestContext, "info" | "query">, code: number): string {
    const kind = info.isResource ? this.kinds.find(info.group, info.version, info.resource) : undefined
    const verb = verbNames[info.verb] ?? "OTHER"
    if (kind === undefined) {
      const root = info.path.split("/", 2)[1] ?? ""
      return `code="${code}",component="apiserver",dry_run="",group="",resource="",scope="",subresource="${knownRoots.has(root) ? root : ""}",verb="${verb}",version=""`
    }
    const subresource = kind.subresources.some(({ name }) => name === info.subresource) ? info.subresource : ""
    const scope = info.name !== "" || info.verb === "create" ? "resource" : info.namespace !== "" ? "namespace" : "cluster"
    const dryRun = query.get("dryRun") === "All" ? "All" : ""
    return `code="${code}",component="apiserver",dry_run="${dryRun}",group="${this.vendor.group(kind.group)}",resource="${kind.resource}",scope="${scope}",subresource="${subresource}",verb="${verb}",version="${kind.version}"`
  }
}
