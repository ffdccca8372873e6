/** Runs cases one after the other against its own server, and judges the server by what another client sees. */
import { connect } from "node:tls"
import { createHttpClient, type HttpClient, type OpenAnswer } from "../support/http-client.ts"
import { startHostileBackend, type HostileBackend } from "./backend.ts"
import type { BytesCase, FuzzCase, RequestCase } from "./case.ts"
import { type Prober, startProber } from "./prober.ts"
import { convertedPlural, definitionsPath } from "./definitions.ts"
import { agentPortWord, backendPortWord, fuzzGroup } from "./schemas.ts"
import { type FuzzedServer, startFuzzedServer } from "./server.ts"

/** How long another client may wait, in milliseconds; longer within the suite, which may share its machine. */
const heldMsMax = 250
export const heldMsOfTests = 500
/** Limit for the growth of the process while cases run, and for the memory that it may still hold after a rest. */
const grownBytesMax = 700 * 1024 * 1024
const keptBytesMax = 150 * 1024 * 1024
/** The number of objects for lists and selectors. */
const configMaps = 2000
/** Number of objects that a hook converts. */
const convertedObjects = 3
const servedMs = 30_000
/** Reads an endless response (watch, log) for this long; waits longer for the start of a response. */
const listenedMs = 150
const unansweredMs = 5000
/** Without a response for this long, the server counts as stalled. */
const stoppedMs = 60_000

export interface Finding {
  readonly type: "held" | "500" | "ended" | "grown" | "kept" | "stopped"
  readonly text: string
}

export class FuzzRun {
  private constructor(
    private readonly server: FuzzedServer,
    private readonly backend: HostileBackend,
    private readonly prober: Prober,
    private readonly clients: Readonly<Record<"http1" | "http2", HttpClient>>,
    private readonly restBytes: { readonly resident: number; readonly live: number },
    private readonly heldMs: number,
  ) {}

  static async start(heldMs = heldMsMax): Promise<FuzzRun> {
    const [server, backend] = await Promise.all([startFuzzedServer(), startHostileBackend()])
    const to = { port: server.port, authority: server.authority }
    const clients = { http1: createHttpClient({ protocol: "http1", ...to }), http2: createHttpClient({ protocol: "http2", ...to }) }
    await prepare(clients.http2, server, backend)
    const rest = { resident: await server.residentBytes(), live: await server.liveBytes() }
    return new FuzzRun(server, backend, startProber(server), clients, rest, heldMs)
  }

  /** Runs one case. Undefined: the server handled it. */
  async take(one: FuzzCase): Promise<Finding | undefined> {
    const statuses: number[] = []
    const ended = this.server.ended.then((how): Finding => ({ type: "ended", text: `the server ended: ${how}` }))
    const taken = this.carryOut(one, statuses).then(() => this.judge(statuses))
    return Promise.race([ended, taken, stopped()])
  }

  /** Checks the memory that some cases have left behind. Undefined: hardly any. */
  async kept(): Promise<Finding | undefined> {
    const live = await this.server.liveBytes()
    const kept = live - this.restBytes.live
    if (kept < keptBytesMax) return undefined
    return { type: "kept", text: `${megabytes(kept)} more can be reached after a collection than at the start` }
  }

  async stop(): Promise<void> {
    this.prober.stop()
    for (const client of Object.values(this.clients)) client.close()
    this.backend.stop()
    await this.server.stop()
  }

  private async carryOut(one: FuzzCase, statuses: number[]): Promise<void> {
    if (one.type === "bytes") return sendBytes(one, this.server)
    if (one.type === "request") return this.ask(one, statuses)
    this.backend.says(one.answer, one.endless)
    // The status comes from the backend.
    return this.ask({ type: "request", protocol: "http1", method: "GET", path: one.path, headers: {} }, [])
  }

  private async ask(request: RequestCase, statuses: number[]): Promise<void> {
    const client = this.clients[request.protocol]
    const body = request.body === undefined ? {} : { body: this.withPorts(request.body) }
    const headers = { authorization: `Bearer ${this.server.token}`, ...request.headers }
    try {
      const answer = await within(unansweredMs, client.open({ ...request, ...body, headers }))
      if (answer === undefined) return
      const begun = textOf(answer)
      await within(listenedMs, readRest(answer))
      // Conversions that fail, and scales of objects without replicas, are 500 as in the reference.
      if (answer.status !== 500 || !failuresOfReference.test(begun())) statuses.push(answer.status)
      answer.destroy()
    } catch {
      // Refused on the connection, or by our own client; the next request checks the server.
    }
  }

  /** Puts the ports of the backend into a body that names them. */
  private withPorts(body: Buffer): Buffer {
    if (!body.includes(backendPortWord) && !body.includes(agentPortWord)) return body
    const { port, agentPort } = this.backend
    const text = body.toString("latin1").replaceAll(backendPortWord, String(port)).replaceAll(agentPortWord, String(agentPort))
    return Buffer.from(text, "latin1")
  }

  private async judge(statuses: readonly number[]): Promise<Finding | undefined> {
    const heldMs = await this.prober.longest()
    if (heldMs > this.heldMs) return { type: "held", text: `the others waited ${Math.round(heldMs)} ms` }
    const faults = this.server.faults()
    if (statuses.includes(500) || faults.length > 0) return { type: "500", text: `answered 500: ${faults.join("").slice(0, 1000)}` }
    const grown = (await this.server.residentBytes()) - this.restBytes.resident
    return grown > grownBytesMax ? { type: "grown", text: `${megabytes(grown)} more are resident` } : undefined
  }
}

const failuresOfReference = /conversion webhook for|request to convert CR from an invalid group.version|replicas field/
/** Characters of an answer that are looked at. */
const begunMax = 20_000

/** Returns a function that gives the part of an answer that has come so far. */
function textOf({ body }: OpenAnswer): () => string {
  let text = ""
  body.on("data", (bytes: Buffer) => {
    if (text.length < begunMax) text += bytes.toString("latin1")
  })
  return () => text
}

type Send = (method: string, path: string, value: unknown, type?: string) => Promise<void>

/** Creates a pod whose address and node lead to the backend, and an object of some kinds to change. */
async function prepare(client: HttpClient, { token }: FuzzedServer, backend: HostileBackend): Promise<void> {
  const { port, agentPort } = backend
  const send: Send = async (method, path, value, type = "application/json") => {
    const { status, body } = await client.send({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      body: Buffer.from(JSON.stringify(value)),
    })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${body.toString()}`)
  }
  const merge = "application/merge-patch+json"
  await send("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "backend" } })
  await send(
    "PATCH",
    "/api/v1/nodes/backend/status",
    { status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }], daemonEndpoints: { kubeletEndpoint: { Port: agentPort } } } },
    merge,
  )
  const containers = [{ name: "c", image: "i", ports: [{ containerPort: port }] }]
  const pods = "/api/v1/namespaces/default/pods"
  await send("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "backend" }, spec: { nodeName: "backend", containers } })
  await send("PATCH", `${pods}/backend/status`, { status: { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] } }, merge)
  await send("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers } })
  await send("POST", "/api/v1/namespaces/default/configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { k: "v" },
  })
  await prepareConverted(send, backend)
  const many = Array.from({ length: configMaps }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `some-${index}`, labels: { app: `a${index % 10}` } },
    data: { k: "x".repeat(200) },
  }))
  await Promise.all(many.map((one) => send("POST", "/api/v1/namespaces/default/configmaps", one)))
}

/** A definition whose objects the hostile backend converts, with some that are stored. */
async function prepareConverted(send: Send, { agentPort, certificate }: HostileBackend): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
  const clientConfig = { url: `https://127.0.0.1:${agentPort}/convert`, caBundle: Buffer.from(certificate).toString("base64") }
  await send("POST", definitionsPath, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${convertedPlural}.${fuzzGroup}` },
    spec: {
      group: fuzzGroup,
      scope: "Namespaced",
      names: { plural: convertedPlural, kind: "Converted" },
      versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
      conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } },
    },
  })
  for (let index = 0; index < convertedObjects; index++) {
    const object = { apiVersion: `${fuzzGroup}/v1`, kind: "Converted", metadata: { name: `c${index}` }, spec: {} }
    await servedSoon(() => send("POST", `/apis/${fuzzGroup}/v1/namespaces/default/${convertedPlural}`, object))
  }
}

/** Tries again while the kind is not served yet. */
async function servedSoon(send: () => Promise<void>): Promise<void> {
  const untilMs = performance.now() + servedMs
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!String(error).includes(": 404 ") || performance.now() > untilMs) throw error
    }
  }
}

function readRest(answer: OpenAnswer): Promise<void> {
  return new Promise((resolve) => {
    answer.body.on("error", () => resolve())
    answer.body.on("close", () => resolve())
    answer.body.on("end", () => resolve())
    answer.body.resume()
  })
}

async function sendBytes({ protocol, writes }: BytesCase, server: FuzzedServer): Promise<void> {
  const socket = connect({
    port: server.port,
    host: "127.0.0.1",
    ca: server.authority,
    ALPNProtocols: [protocol === "http2" ? "h2" : "http/1.1"],
  })
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => undefined)
  socket.resume()
  socket.once("secureConnect", () => {
    for (const bytes of writes) socket.write(bytes)
  })
  await within(listenedMs, closed)
  socket.destroy()
  await closed
}

/** Resolves with the work's result; undefined when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function stopped(): Promise<Finding> {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ type: "stopped", text: `nothing was answered for ${stoppedMs / 1000} s` }), stoppedMs).unref()
  })
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`
}
