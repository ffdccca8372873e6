/** Sends recorded requests to a server. */
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { createHttpClient, type HttpAnswer, type HttpClient, type HttpRequest } from "../support/http-client.ts"
import type { Facts } from "./compared.ts"
import { factsOf } from "./facts.ts"
import { bodyOf, edited, type Group, type Step } from "./recorded.ts"
import { fieldOf } from "./values.ts"

/** A server to ask. Without an authority its certificate is not verified. */
export interface Asked {
  readonly port: number
  readonly token: string
  readonly authority?: string
}

const mediaTypes: Readonly<Record<string, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
}

export interface Sender {
  /** Sends one step and returns the compared parts of the answer. */
  send(step: Step, bases: Group["bases"]): Promise<Facts>
  close(): void
}

export function openSender(server: Asked): Sender {
  const client = createHttpClient({ protocol: "http1", ...server })
  return { send: (step, bases) => sendStep({ client, server }, step, bases), close: () => client.close() }
}

interface Link {
  readonly client: HttpClient
  readonly server: Asked
}

/** A controller of the server may write between the read of a version and the write with it. */
const triesMax = 3

async function sendStep(link: Link, step: Step, bases: Group["bases"]): Promise<Facts> {
  const readsVersion = (step.rv !== undefined && step.rv !== false) || step.live !== undefined
  for (let tries = 1; ; tries++) {
    const facts = await sendOnce(link, step, bases)
    if (facts.code !== 409 || !readsVersion || tries === triesMax) return facts
  }
}

async function sendOnce(link: Link, step: Step, bases: Group["bases"]): Promise<Facts> {
  const body = await documentOf(link, step, bases)
  const authorization = step.token === undefined ? `Bearer ${link.server.token}` : step.token === "" ? "" : `Bearer ${step.token}`
  const headers = {
    accept: step.accept ?? "application/json",
    "user-agent": "real-diff/1.0",
    ...(authorization !== "" && { authorization }),
    ...(step.as !== undefined && { "impersonate-user": step.as }),
    ...(body !== undefined && { "content-type": mediaTypes[step.ct ?? ""] ?? step.ct ?? "application/json" }),
  }
  const bytes = body === undefined ? {} : { body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) }
  const request = { method: step.m, path: step.p, headers, ...bytes }
  const answer = await within(sendAgain(link.client, request).catch(() => "ended" as const))
  if (answer === undefined) return { code: 0, text: `no answer within ${patienceMs / 1000} seconds` }
  if (answer === "ended") return { code: 0, text: "the connection ended without an answer" }
  const generateName = fieldOf(body, "metadata", "generateName")
  return factsOf(answer, step, { port: link.server.port, ...(typeof generateName === "string" && { generateName }) })
}

/** Milliseconds. A watch of the recordings ends after one second. */
const patienceMs = 30_000

async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patienceMs)))
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Tries again, since a server may close an idle connection just when it is used. */
async function sendAgain(client: HttpClient, request: HttpRequest): Promise<HttpAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await client.send(request)
    } catch (error) {
      if (tries === triesMax) throw error
    }
  }
}

async function documentOf(link: Link, step: Step, bases: Group["bases"]): Promise<JsonValue | undefined> {
  const path = step.p.split("?")[0] ?? ""
  const body = step.live === undefined || step.live === null ? bodyOf(step.b, bases) : edited(await stored(link, path), step.live)
  if (step.rv === undefined || step.rv === false || !isObject(body)) return body
  const read = await stored(link, typeof step.rv === "string" ? step.rv : path.replace(/\/(?:status|approval|finalize|scale)$/, ""))
  const metadata = isObject(body["metadata"]) ? body["metadata"] : {}
  return { ...body, metadata: { ...metadata, resourceVersion: fieldOf(read, "metadata", "resourceVersion") ?? "" } }
}

async function stored({ client, server }: Link, path: string): Promise<JsonObject> {
  const headers = { accept: "application/json", authorization: `Bearer ${server.token}` }
  const { body } = await sendAgain(client, { method: "GET", path, headers })
  return JSON.parse(body.toString("utf8"))
}
