/** A client that installs definitions, and watches until they are established. */
import { lines } from "./watch-load.ts"
import { type Answer, type Http2Client, openHttp2Client } from "./http2-client.ts"
import type { Target } from "./server-process.ts"
import type { CustomKind } from "./typical-definition.ts"

export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

export interface Sent {
  /** The body, sent as JSON. */
  readonly document?: unknown
  readonly accept?: string
}

export interface DefinitionClient {
  /** Creates a definition. Resolves with the milliseconds until a list of its objects was answered. */
  install(kind: CustomKind): Promise<number>
  /** Throws unless the answer is 200 or 201. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>
  /** Whether `/readyz` is 200. */
  isReady(): Promise<boolean>
  close(): void
}

/** Called once per server, before it has definitions: the watch begins with the existing ones. */
export async function openDefinitionClient(target: Target): Promise<DefinitionClient> {
  const client = openHttp2Client(target)
  const established = new Map<string, () => void>()
  await followEstablished(client, (name) => established.get(name)?.())

  async function send(method: string, path: string, { document, accept }: Sent = {}): Promise<Answer> {
    const json = document === undefined ? {} : { body: Buffer.from(JSON.stringify(document)), contentType: "application/json" }
    const answer = await client.send({ method, path, ...json, ...(accept !== undefined && { accept }) })
    if (answer.status > 201) throw new Error(`${method} ${path}: ${answer.status} ${answer.head.toString("utf8").slice(0, 300)}`)
    return answer
  }

  async function served({ path }: CustomKind): Promise<void> {
    for (;;) {
      const { status } = await client.send({ method: "GET", path: path("") })
      if (status === 200) return
      if (status !== 404) throw new Error(`GET ${path("")}: ${status}`)
    }
  }

  return {
    async install(kind) {
      const started = performance.now()
      const isEstablished = new Promise<void>((resolve) => established.set(kind.name, resolve))
      await send("POST", definitionsPath, { document: kind.definition })
      await isEstablished
      established.delete(kind.name)
      await served(kind)
      return performance.now() - started
    },
    send,
    isReady: async () => (await client.send({ method: "GET", path: "/readyz" })).status === 200,
    close: () => client.close(),
  }
}

/** Resolves when the watch is open. */
async function followEstablished(client: Http2Client, onEstablished: (name: string) => void): Promise<void> {
  const stream = await client.open(`${definitionsPath}?watch=1`)
  const reader = { rest: [], restBytes: 0 }
  stream.on("error", () => undefined)
  stream.on("data", (chunk: Buffer) => {
    for (const line of lines(reader, chunk)) {
      const { object } = JSON.parse(line.toString("utf8"))
      const conditions: readonly { readonly type: string; readonly status: string }[] = object.status?.conditions ?? []
      if (conditions.some(({ type, status }) => type === "Established" && status === "True")) onEstablished(object.metadata.name)
    }
  })
}
