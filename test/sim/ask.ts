/** One request of a simulated client, with its complete answer. */
import { simToken } from "./world/server.ts"
import type { World } from "./world/world.ts"

export interface SimRequest {
  readonly method: string
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** Default: merge patches for PATCH, else JSON. */
  readonly contentType?: string
}

export interface SimResponse {
  readonly status: number
  /** The body: decoded if it is JSON, otherwise a string. */
  readonly body: unknown
}

/**
 * Called by clients for all requests except watches. Undefined: the server does not listen, or the connection broke.
 */
export async function sendRequest(
  world: World,
  server: number,
  { method, path, body, contentType }: SimRequest,
): Promise<SimResponse | undefined> {
  const wire = world.servers[server]?.wire
  if (wire === undefined) return undefined
  const type = contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json")
  try {
    const response = await wire.request({
      method,
      path,
      headers: { authorization: `Bearer ${simToken}`, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    return { status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : text }
  } catch {
    return undefined
  }
}

/**
 * Statuses that faults may cause: the store cannot be reached (503), is too slow (504), or the server starts or stops
 * (429).
 */
export function isTrouble(status: number): boolean {
  return status === 429 || status === 503 || status === 504
}
