/**
 * From a connection to the application. Hono is called with as much of a request as it asks for: a Request of its own for each would cost more
 * than routing it, and answers are written to the exchange's outgoing stream, not to a Response.
 */
import type { Hono } from "hono"
import type { Incoming, Outgoing } from "./exchange.ts"
import { Exchange, type ServerEnv } from "../server-env.ts"

/** Called once per listener, or whatever carries HTTP in its place. The answer is called once per request, whose answer the application writes. */
export function dispatchTo(app: Hono<ServerEnv>): (incoming: Incoming, outgoing: Outgoing) => void {
  return (incoming, outgoing) => {
    const request = new RoutedRequest(incoming) as Pick<Request, "method" | "url"> as Request // Routing reads nothing else.
    void app.fetch(request, new Exchange(incoming, outgoing))
  }
}

/** The application looks at neither host nor scheme: a host is named because a URL has one. */
class RoutedRequest {
  constructor(private readonly incoming: Incoming) {}

  get method(): string {
    return this.incoming.method ?? "GET"
  }

  get url(): string {
    return `https://localhost${this.incoming.url ?? "/"}`
  }
}
