/** Passes requests of HTTP/1.1 and HTTP/2 from connections to the application. */
import type { App } from "./env.ts"
import { refuse } from "./malformed-request.ts"
import { originForm, refusalOf } from "./request-validation.ts"

/**
 * Called once per listener. The result is called once per request; it refuses what HTTP forbids and passes the other
 * requests to the application.
 */
export function requestListener(app: App): App {
  return (incoming, outgoing) => {
    const refusal = refusalOf(incoming)
    if (refusal !== undefined) return refuse(outgoing, refusal)
    if (incoming.method === "OPTIONS" && incoming.url === "*") {
      outgoing.setHeader("content-length", "0")
      outgoing.end()
      return
    }
    incoming.url = originForm(incoming.url ?? "/")
    app(incoming, outgoing)
  }
}
