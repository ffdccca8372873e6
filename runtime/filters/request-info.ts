import { badRequest } from "../errors.ts"
import { cut } from "../kit/quote.ts"
import { RequestContext } from "../request.ts"
import { RequestInfoReader } from "../request-info.ts"
import { anonymous } from "../access/authenticate.ts"
import type { Filter } from "../server-env.ts"
import type { Vendor } from "../vendor.ts"
import { booleanParameter, parseQuery } from "../query.ts"

/** First of the filters: reads path and query, and makes the request's context. Throws 400 for a path that is not valid UTF-8. */
export function requestInfo(options: { vendor: Vendor }): Filter {
  const paths = new RequestInfoReader(options.vendor)
  return function requestInfo(exchange) {
    const { incoming } = exchange
    const target = incoming.url ?? "/"
    const mark = target.indexOf("?")
    const query = parseQuery(mark < 0 ? "" : target.slice(mark + 1))
    const path = decodedPath(mark < 0 ? target : target.slice(0, mark))
    const info = paths.read({ method: incoming.method ?? "GET", path, watch: booleanParameter(query, "watch") ?? false })
    exchange.context = new RequestContext(info, query, incoming.headers, anonymous, exchange.outgoing)
    return undefined
  }
}

function decodedPath(path: string): string {
  try {
    return path.includes("%") ? decodeURIComponent(path) : path
  } catch {
    throw badRequest(`the path is not valid: ${cut(path)}`)
  }
}
