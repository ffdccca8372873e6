/** The Request of the web that Hono gets for each request. */
import { Readable } from "node:stream"
import type { RequestContext } from "./request/context.ts"

/**
 * Returns a Request that knows its method and builds itself when a middleware reads any other member: most requests
 * never need it, and a complete one costs more than a get.
 */
export function webRequest(context: RequestContext): Request {
  return new LazyRequest(context) as unknown as Request // All members of Request are defined below.
}

class LazyRequest {
  private completed: Request | undefined

  constructor(private readonly context: RequestContext) {}

  get method(): string {
    return this.context.incoming.method ?? "GET"
  }

  complete(): Request {
    this.completed ??= completeRequest(this.context)
    return this.completed
  }
}

Object.setPrototypeOf(LazyRequest.prototype, Request.prototype)
for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(Request.prototype))) {
  if (Object.hasOwn(LazyRequest.prototype, name)) continue
  const read = (request: LazyRequest): unknown => Reflect.get(request.complete(), name)
  const member: PropertyDescriptor & ThisType<LazyRequest> =
    get === undefined
      ? {
          value(...given: unknown[]) {
            return Reflect.apply(read(this) as () => unknown, this.complete(), given) // A method of Request.
          },
        }
      : {
          get() {
            return read(this)
          },
        }
  Object.defineProperty(LazyRequest.prototype, name, member)
}

function completeRequest({ incoming, signal }: RequestContext): Request {
  const { method = "GET", url = "/" } = incoming
  const hasBody = incoming.hasBody && method !== "GET" && method !== "HEAD"
  const body = hasBody ? Readable.toWeb(incoming.asStream()) : undefined
  const init = { method, headers: webHeaders(incoming.headers), signal, body, duplex: "half" } as RequestInit // Its type lacks `duplex`.
  try {
    return new Request(`https://${incoming.headers.host ?? "localhost"}${url}`, init)
  } catch {
    // URLs of the web cannot have a host such as `[fd00:0:0::1]`, which clients in Go send.
    return new Request(`https://localhost${url}`, init)
  }
}

function webHeaders(fields: RequestContext["headers"]): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) {
    // HTTP/2 keeps method and path among the fields.
    if (!name.startsWith(":")) for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}
