/** HTTP/1.1 between clients and a server without a network: node's own client and server over pairs of streams. */
import { createServer, type IncomingMessage, request as httpRequest } from "node:http"
import { Duplex } from "node:stream"
import { http1Classes } from "../../../runtime/http/http1-exchange.ts"
import type { ListenOptions } from "../../../runtime/http/listen.ts"

export interface Wire {
  /** Resolves with the head of the answer; rejects when the connection breaks earlier. */
  request(options: { method: string; path: string; headers: Readonly<Record<string, string>>; body?: string }): Promise<IncomingMessage>
  /** Breaks every connection; unread data is lost. */
  cut(): void
}

/** Called once per process, with the application to serve. */
export function connectTo(app: ListenOptions["app"]): Wire {
  const server = createServer(http1Classes, app)
  const open = new Set<End>()
  let broken = false
  function connection(): End {
    const [client, far] = pair()
    for (const end of [client, far]) {
      open.add(end)
      end.on("error", () => undefined)
      end.once("close", () => open.delete(end))
    }
    if (broken) client.destroy(new Error("connection refused"))
    else server.emit("connection", far)
    return client
  }
  return {
    request: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
        const outgoing = httpRequest({ method, path, headers: { host: "localhost", ...length, ...headers }, createConnection: connection })
        outgoing.once("response", resolve)
        outgoing.once("error", reject)
        outgoing.end(body)
      }),
    cut() {
      broken = true
      for (const end of [...open]) end.destroy(new Error("connection reset"))
    },
  }
}

/** Two connected streams: each reads what the other writes. */
function pair(): [End, End] {
  const one = new End()
  const other = new End()
  one.far = other
  other.far = one
  return [one, other]
}

class End extends Duplex {
  far: End | undefined
  /** Completes the pending write when the reader has taken its data. */
  private taken: (() => void) | undefined

  override _read(): void {
    const { taken } = this
    this.taken = undefined
    taken?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    const { far } = this
    if (far === undefined || far.destroyed) return callback()
    if (far.push(chunk)) return callback()
    far.taken = callback
  }

  override _final(callback: () => void): void {
    this.far?.push(null)
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const { far } = this
    this.far = undefined
    // A broken connection breaks at both ends.
    if (far !== undefined && !far.destroyed) far.destroy(error ?? undefined)
    callback(error)
  }

  // Methods of a socket that node's server and client call, and that a pair of streams does not need.
  setTimeout(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
}
