/** A server with pods, services and nodes to pass requests on to, for tests of proxies and streams. */
import { connect, type TLSSocket } from "node:tls"
import type { ConnectOptions } from "../../../runtime/connect/connector.ts"
import { createHttpClient, type HttpAnswer, type HttpClient, type OpenAnswer, type Protocol } from "../../support/http-client.ts"
import { type InProcess, startInProcess } from "../../support/in-process.ts"

export interface Cluster {
  readonly at: InProcess
  readonly client: HttpClient
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>
  open(method: string, path: string, headers?: Readonly<Record<string, string>>): Promise<OpenAnswer>
  /** Expects success; answers the object. */
  make(path: string, object: unknown): Promise<void>
  /** A pod of namespace default with an address, on node `n`. */
  pod(name: string, ip: string, port?: number): Promise<void>
  node(name: string, status: unknown): Promise<void>
  /** Sends these lines as a request's head, and resolves with the connection. */
  raw(lines: readonly string[]): Promise<TLSSocket>
  stop(): Promise<void>
}

/** Called once per test. */
export async function startCluster(connectOptions: ConnectOptions, protocol: Protocol = "http1"): Promise<Cluster> {
  const at = await startInProcess({ store: "memory", vendor: "kubernetes", connect: connectOptions })
  const client = createHttpClient({ protocol, port: at.port, authority: at.authority })
  const authorization = `Bearer ${at.token}`
  const sockets: TLSSocket[] = []
  const send: Cluster["send"] = (method, path, body, headers = {}) => {
    const bytes = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const request = { method, path, headers: { authorization, "content-type": "application/json", ...headers } }
    return client.send(bytes === undefined ? request : { ...request, body: bytes })
  }
  const sendWell = async (method: string, path: string, body: unknown, headers = {}): Promise<void> => {
    const answer = await send(method, path, body, headers)
    if (answer.status > 201) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`)
  }
  const merge = { "content-type": "application/merge-patch+json" }
  return {
    at,
    client,
    send,
    open: (method, path, headers = {}) => client.open({ method, path, headers: { authorization, ...headers } }),
    make: (path, object) => sendWell("POST", path, object),
    async pod(name, ip, port) {
      const container = { name: "c", image: "i", ...(port !== undefined && { ports: [{ containerPort: port }] }) }
      await sendWell("POST", "/api/v1/namespaces/default/pods", { metadata: { name }, spec: { nodeName: "n", containers: [container] } })
      await sendWell("PATCH", `/api/v1/namespaces/default/pods/${name}/status`, { status: { podIP: ip, podIPs: [{ ip }] } }, merge)
    },
    node: (name, status) => sendWell("POST", "/api/v1/nodes", { metadata: { name }, status }),
    raw: (lines) =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port: at.port, ca: at.authority, ALPNProtocols: ["http/1.1"] }, () => {
          socket.write(`${[...lines, "Host: server.example", `Authorization: ${authorization}`].join("\r\n")}\r\n\r\n`)
          resolve(socket)
        })
        sockets.push(socket)
        socket.on("error", reject)
      }),
    async stop() {
      for (const socket of sockets) socket.destroy()
      client.close()
      await at.stop()
    },
  }
}

/** Resolves with the text that came on a connection until it held `text`, or until it ended. */
export function readUntil(socket: TLSSocket, text: string): Promise<string> {
  return new Promise((resolve) => {
    let seen = ""
    const look = (chunk: Buffer): void => {
      seen += chunk.toString("latin1")
      if (text !== "" && seen.includes(text)) done()
    }
    const done = (): void => {
      socket.off("data", look)
      resolve(seen)
    }
    socket.on("data", look)
    socket.once("close", done)
  })
}
