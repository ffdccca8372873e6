/** Gets documents and tokens of an identity provider. */
import { type Agent, request } from "node:https"
import type { Clock } from "../../base/clock.ts"
import { GuardedAgent } from "../../tls/connect.ts"
import { distributedTokenBytesMax, providerAnswerBytesMax, providerTimeoutMs } from "../limits.ts"

export interface ProviderClient {
  /** Resolves with a JSON object. Rejects with an Error for any other answer. Redirects are not followed. */
  get(url: string): Promise<Readonly<Record<string, unknown>>>
  /** Resolves with the text of an answer with status 2xx. `accessToken`: "" for none. Rejects as `get`. */
  token(url: string, accessToken: string): Promise<string>
}

/** Called once per provider. `authorities`: PEM of the authorities that verify its certificate. */
export function providerClient({ authorities, clock }: { authorities: string | readonly string[]; clock: Clock }): ProviderClient {
  const agent = new GuardedAgent({ ca: [authorities].flat(), keepAlive: false })
  async function asked<Answer>(url: string, { headers, bytesMax, statusMax, read }: Asked<Answer>): Promise<Answer> {
    if (!url.startsWith("https://")) throw new Error(`${url} is no https address`)
    const ending = new AbortController()
    const cancel = clock.after(providerTimeoutMs, () => ending.abort(new Error("i/o timeout")))
    try {
      return read(await textOf(url, { agent, signal: ending.signal, headers, bytesMax, statusMax }))
    } catch (error) {
      const cause: unknown = ending.signal.aborted ? ending.signal.reason : error
      throw new Error(`${url}: ${cause instanceof Error ? cause.message : String(cause)}`)
    } finally {
      cancel()
    }
  }
  return {
    get: (url) =>
      asked(url, { headers: { accept: "application/json" }, bytesMax: providerAnswerBytesMax, statusMax: 200, read: documentOf }),
    token: (url, accessToken) =>
      asked(url, {
        headers: accessToken === "" ? {} : { authorization: `Bearer ${accessToken}` },
        bytesMax: distributedTokenBytesMax,
        statusMax: 299,
        read: (text) => text,
      }),
  }
}

interface Asked<Answer> {
  readonly headers: Readonly<Record<string, string>>
  readonly bytesMax: number
  /** The highest status of a good answer; the lowest is 200. */
  readonly statusMax: number
  readonly read: (text: string) => Answer
}

type Call = Omit<Asked<never>, "read"> & { readonly agent: Agent; readonly signal: AbortSignal }

function textOf(url: string, { agent, signal, headers, bytesMax, statusMax }: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, signal, headers }, (incoming) => {
      const { statusCode = 0 } = incoming
      if (statusCode < 200 || statusCode > statusMax) {
        outgoing.destroy()
        reject(new Error(`the answer has status ${statusCode}`))
        return
      }
      const chunks: Buffer[] = []
      let length = 0
      incoming.on("data", (chunk: Buffer) => {
        length += chunk.length
        if (length > bytesMax) outgoing.destroy(new Error(`the answer has more than ${bytesMax} bytes`))
        else chunks.push(chunk)
      })
      incoming.on("error", reject)
      incoming.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")))
    })
    outgoing.on("error", reject)
    outgoing.on("close", () => reject(new Error("the connection was closed")))
    outgoing.end()
  })
}

function documentOf(text: string): Readonly<Record<string, unknown>> {
  const value = jsonOf(text)
  if (!isRecord(value)) throw new Error("the answer is no JSON object")
  return value
}

/** Throws an Error without the text: the message is logged. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error("the answer is no JSON")
  }
}

/** An object with any fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
