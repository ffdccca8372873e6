/** Gets a document of an identity provider. */
import { Agent, request } from "node:https"
import type { Clock } from "../../base/clock.ts"
import { providerAnswerBytesMax, providerTimeoutMs } from "../limits.ts"

export interface ProviderClient {
  /** Resolves with a JSON object. Rejects with an Error for any other answer. Redirects are not followed. */
  get(url: string): Promise<Readonly<Record<string, unknown>>>
}

/** Called once per provider. `authorities`: PEM of those that its certificate is verified with. */
export function providerClient({ authorities, clock }: { authorities: string | readonly string[]; clock: Clock }): ProviderClient {
  const agent = new Agent({ ca: [authorities].flat(), keepAlive: false })
  return {
    async get(url) {
      if (!url.startsWith("https://")) throw new Error(`${url} is no https address`)
      const ending = new AbortController()
      const cancel = clock.after(providerTimeoutMs, () => ending.abort(new Error("i/o timeout")))
      try {
        return documentOf(await textOf(url, agent, ending.signal))
      } catch (error) {
        const cause: unknown = ending.signal.aborted ? ending.signal.reason : error
        throw new Error(`${url}: ${cause instanceof Error ? cause.message : String(cause)}`)
      } finally {
        cancel()
      }
    },
  }
}

function textOf(url: string, agent: Agent, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, signal, headers: { accept: "application/json" } }, (incoming) => {
      if (incoming.statusCode !== 200) {
        outgoing.destroy()
        reject(new Error(`the answer has status ${incoming.statusCode}`))
        return
      }
      const chunks: Buffer[] = []
      let length = 0
      incoming.on("data", (chunk: Buffer) => {
        length += chunk.length
        if (length > providerAnswerBytesMax) outgoing.destroy(new Error(`the answer has more than ${providerAnswerBytesMax} bytes`))
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
