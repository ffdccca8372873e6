/** The only parser of request targets: routing, authorization and verbs all use its result. */
import { anonymous } from "../../authn/authenticate.ts"
import { badRequest } from "../../base/errors.ts"
import type { Incoming, Outgoing } from "../exchange.ts"
import { cut } from "../../base/quote.ts"
import { booleanParameter, parseQuery } from "./query.ts"
import { RequestContext } from "./context.ts"
import type { RequestInfo } from "./request-info.ts"
import { RequestInfoReader } from "./info.ts"
import type { Vendor } from "../../base/vendor.ts"

/** Shared by requests without a query, which do not change it. */
const emptyQuery = new URLSearchParams()

/** For a request whose path could not be parsed. */
const unknownInfo: RequestInfo = {
  isResource: false,
  verb: "",
  method: "",
  path: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
  tail: [],
  watchPath: false,
}

/** Created once per server. */
export class RequestReader {
  private readonly paths: RequestInfoReader

  constructor(vendor: Vendor) {
    this.paths = new RequestInfoReader(vendor)
  }

  /**
   * Called once per request, first of all. Never throws: a fault of path or query becomes the `fault` of the context.
   */
  read(incoming: Incoming, outgoing: Outgoing): RequestContext {
    const target = incoming.url ?? "/"
    const mark = target.indexOf("?")
    let query = emptyQuery
    try {
      if (mark >= 0) query = parseQuery(target.slice(mark + 1))
      const path = decodedPath(mark < 0 ? target : target.slice(0, mark))
      const watch = booleanParameter(query, "watch") ?? false
      const info = this.paths.read({ method: incoming.method ?? "GET", path, watch })
      return new RequestContext({ info, query, incoming, outgoing, user: anonymous })
    } catch (fault) {
      return new RequestContext({ info: unknownInfo, query, incoming, outgoing, user: anonymous, fault })
    }
  }
}

/** Throws 400 for a path that is not valid UTF-8. */
function decodedPath(path: string): string {
  try {
    return path.includes("%") ? decodeURIComponent(path) : path
  } catch {
    throw badRequest(`the path is not valid: ${cut(path)}`)
  }
}
