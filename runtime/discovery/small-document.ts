/** Documents that are made for each request and are small: answered with a Response, which the adapter writes. */

interface Head {
  /** Default 200. */
  readonly status?: number
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Returns a Response that states the length of its body: Hono drops the body of an answer to HEAD, so the length must
 * be set before. Fields that filters have set on the outgoing stream are sent with it.
 */
export function smallDocument(body: string | Buffer, { status = 200, contentType, headers }: Head): Response {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  return new Response(bytes, { status, headers: { "content-type": contentType, "content-length": String(bytes.length), ...headers } })
}
