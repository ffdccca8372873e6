/** A server with options of authentication, in the test's process, whose clock the test advances. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { Agent, request } from "node:https"
import { stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { systemRandom } from "../../runtime/base/random.ts"
import { fileCheckMs } from "../../runtime/base/watched-files.ts"
import { launch } from "../../runtime/launch/launch.ts"
import { createLog } from "../../runtime/launch/logging.ts"
import { defaultOptions } from "../../runtime/options/load.ts"
import type { Options } from "../../runtime/options/table.ts"
import { createHttpClient } from "../support/http-client.ts"
import { createManualClock, type ManualClock } from "../contract/manual-clock.ts"

export interface AuthenticationServer {
  readonly port: number
  readonly authority: string
  readonly clock: ManualClock
  readonly log: readonly string[]
  /** Looks at watched files until `done`. */
  untilRead(done: () => boolean): Promise<void>
  /** The text of a path, for an administrator. */
  get(path: string): Promise<string>
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** A new token of a service account in the namespace `default`. */
  accountToken(account: string): Promise<string>
}

/** Called within a test, which ends it. Its clock begins at the time of the machine, as certificates do. */
export async function startServerWith(options: Partial<Options>): Promise<AuthenticationServer> {
  const clock = createManualClock(Date.now())
  const log: string[] = []
  const launched = await launch({
    options: { ...defaultOptions(), store: "memory", "bind-address": "127.0.0.1", vendor: "kubernetes", ...options },
    clock,
    random: systemRandom,
    log: createLog({ format: "text", verbosity: 4, write: (line) => log.push(line) }),
    transient: true,
    port: 0,
  })
  onTestFinished(() => launched.server.stop())
  const send = async (method: string, path: string, body = ""): Promise<string> => {
    const client = createHttpClient({ protocol: "http2", port: launched.server.port, authority: launched.authority })
    const headers = { authorization: `Bearer ${launched.token}`, ...(body !== "" && { "content-type": "application/json" }) }
    const answer = await client.send({ method, path, headers, ...(body !== "" && { body: Buffer.from(body) }) })
    client.close()
    return answer.body.toString()
  }
  return {
    port: launched.server.port,
    authority: launched.authority,
    clock,
    log,
    async untilRead(done) {
      while (!done()) {
        clock.advance(fileCheckMs)
        await looked()
      }
    },
    get: (path) => send("GET", path),
    metrics: () => send("GET", "/metrics"),
    async accountToken(account) {
      // A long life, since waiting for files advances the clock far.
      const body = JSON.stringify({ spec: { expirationSeconds: 10 * 365 * 86_400 } })
      const path = "/api/v1/namespaces/default/serviceaccounts"
      await send("POST", path, JSON.stringify({ metadata: { name: account } }))
      const answer: { status: { token: string } } = JSON.parse(await send("POST", `${path}/${account}/token`, body))
      return answer.status.token
    },
  }
}

/**
 * Lets checks of files that have begun come to their end: the system got their calls first. Otherwise the clock would
 * take requests that wait meanwhile beyond their deadline.
 */
async function looked(): Promise<void> {
  // A check asks for the size and the text of a file, and of a file that it names.
  for (let step = 0; step < 4; step++) await stat(tmpdir())
}

/** A folder of the test. */
export function testFolder(): (name: string, text: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "authn-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return (name, text) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
}

export interface Client {
  readonly protocol: "http1" | "http2"
  readonly certificate?: string
  readonly key?: string
}

export interface Answer {
  readonly status: number
  /** The body of a SelfSubjectReview, or the Status. */
  readonly body: {
    readonly status?: { readonly userInfo?: { readonly username: string; readonly groups: readonly string[]; readonly extra?: object } }
    readonly message?: string
  }
}

/** Asks on one connection who its user is. */
export interface Connection {
  whoAmI(headers?: Readonly<Record<string, string | string[]>>): Promise<Answer>
  close(): void
}

const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" })

/**
 * Called within a test, which closes it. The connection is opened with the first question and kept while the server
 * does.
 */
export function connectTo(server: AuthenticationServer, { protocol, certificate, key }: Client): Connection {
  const tls = { ca: server.authority, ...(certificate !== undefined && { cert: certificate, key }) }
  const connection = protocol === "http1" ? http1(server.port, tls) : http2(server.port, tls)
  onTestFinished(() => connection.close())
  return connection
}

type ClientTls = { readonly ca: string; readonly cert?: string; readonly key?: string | undefined }

function http2(port: number, tls: ClientTls): Connection {
  let session: ClientHttp2Session | undefined
  const connected = (): ClientHttp2Session => {
    // The server ends a connection after a request without a user.
    if (session === undefined || session.closed || session.destroyed) {
      session = connectHttp2(`https://127.0.0.1:${port}`, tls)
      // Its requests report it.
      session.on("error", () => undefined)
    }
    return session
  }
  return {
    close: () => session?.destroy(),
    whoAmI: (headers = {}) =>
      new Promise((resolve, reject) => {
        const stream = connected().request({ ":method": "POST", ":path": path, "content-type": "application/json", ...headers })
        const chunks: Buffer[] = []
        let status = 0
        stream.on("response", (head) => {
          status = head[":status"] ?? 0
        })
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("error", reject)
        stream.on("end", () => resolve({ status, body: JSON.parse(Buffer.concat(chunks).toString()) }))
        stream.end(review)
      }),
  }
}

function http1(port: number, tls: ClientTls): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...tls })
  return {
    close: () => agent.destroy(),
    whoAmI: (headers = {}) =>
      new Promise((resolve, reject) => {
        const options = {
          host: "127.0.0.1",
          port,
          agent,
          method: "POST",
          path,
          headers: { "content-type": "application/json", ...headers },
        }
        const outgoing = request(options, (incoming) => {
          const chunks: Buffer[] = []
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
          incoming.on("error", reject)
          incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }))
        })
        outgoing.on("error", reject)
        outgoing.end(review)
      }),
  }
}

/** Summary of an answer for tests: the user with its groups, or the status. */
export function userOf({ status, body }: Answer): string {
  const user = body.status?.userInfo
  return user === undefined ? `${status} ${body.message}` : `${user.username} (${user.groups.join(", ")})`
}

export const refused = "401 Unauthorized"
