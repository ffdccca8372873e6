/**
 * Watches over websockets, as browsers and their libraries use them: messages, credentials, failed handshakes, ends and
 * back-pressure. As the reference, whose watch handler accepts an upgrade; its behaviour was observed with the same
 * requests. RFC 6455 for the handshake and close codes.
 */
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { setImmediate } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type ClientOptions, WebSocket } from "ws"
import { watchQueueBytesMax, watchWaitingBytesMax, websocketMessageBytesMax } from "../runtime/base/limits.ts"
import { decodeCompactFrame } from "./api/harness/encoding.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"
import { type InProcess, startInProcess } from "./support/in-process.ts"

const tokenProtocol = "base64url.bearer.authorization.k8s.io."

let at: InProcess
let client: HttpClient

beforeAll(async () => {
  at = await startInProcess({ store: "memory", vendor: "kubernetes" })
  client = createHttpClient({ protocol: "http2", port: at.port, authority: at.authority })
})

afterAll(async () => {
  client.close()
  await at.stop()
})

describe("a watch over a websocket", () => {
  it("sends each event as a text message, and closes with 1000 at its time", async () => {
    const collection = await namespace("text")
    await create(collection, "a")
    const watch = new Watching(`${collection}?watch=1&timeoutSeconds=30`, { headers: bearer() })
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "a" } } })
    await create(collection, "b")
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "b" } } })
    at.clock.advance(31_000)
    expect(await watch.closed()).toBe(1000)
  })

  it("sends the compact encoding as binary messages without the frame's length", async () => {
    const collection = await namespace("binary")
    await create(collection, "a")
    const watch = new Watching(`${collection}?watch=1`, { headers: { ...bearer(), accept: "application/vnd.kubernetes.protobuf" } })
    const message = await watch.nextMessage()
    expect(message.binary).toBe(true)
    expect(await decodeCompactFrame(message.bytes, "kubernetes")).toMatchObject({
      type: "ADDED",
      object: { kind: "ConfigMap", metadata: { name: "a" } },
    })
  })

  it("serves the deprecated paths, tables and bookmarks", async () => {
    const collection = await namespace("forms")
    await create(collection, "a")
    const path = collection.replace("/api/v1/", "/api/v1/watch/")
    const watch = new Watching(`${path}?allowWatchBookmarks=1`, {
      headers: { ...bearer(), accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    })
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { kind: "Table", rows: [{ cells: ["a", 0, expect.anything()] }] } })
    await create(await namespace("elsewhere"), "x")
    at.clock.advance(61_000)
    expect(await watch.next()).toMatchObject({ type: "BOOKMARK", object: { kind: "Table", columnDefinitions: null } })
  })

  it("reports why it cannot continue, and closes with 1000", async () => {
    const collection = await namespace("compacted")
    await at.store.compact({ revision: await at.store.revision() })
    const watch = new Watching(`${collection}?watch=1&resourceVersion=1`, { headers: bearer() })
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } })
    expect(await watch.closed()).toBe(1000)
  })

  it("accepts the token among the protocols, and confirms another", async () => {
    const collection = await namespace("token")
    await create(collection, "a")
    const watch = new Watching(`${collection}?watch=1`, {}, ["base64.binary.k8s.io", `${tokenProtocol}${base64url(at.token)}`])
    expect(await watch.next()).toMatchObject({ type: "ADDED" })
    expect(watch.socket.protocol).toBe("base64.binary.k8s.io")
  })

  it("never confirms a token", async () => {
    const collection = await namespace("secret")
    const { response } = await handshake(`${collection}?watch=1`, {
      ...bearer(),
      "sec-websocket-protocol": `${tokenProtocol}${base64url(at.token)}, v1`,
    })
    expect(response.statusCode).toBe(101)
    expect(response.headers["sec-websocket-protocol"]).toBe("v1")
    expect(JSON.stringify(response.rawHeaders)).not.toContain(base64url(at.token))
  })

  it("frees everything when the client closes or disappears", async () => {
    const collection = await namespace("closing")
    const before = at.server.parts.watches.size
    const polite = new Watching(`${collection}?watch=1`, { headers: bearer() })
    const rude = new Watching(`${collection}?watch=1`, { headers: bearer() })
    await Promise.all([polite.opened(), rude.opened()])
    await watchesOpen(before + 2)
    polite.socket.close(1000)
    expect(await polite.closed()).toBe(1000)
    rude.socket.terminate()
    await watchesOpen(before)
  })

  it("answers pings and closes on a message that is too long or not a frame", async () => {
    const collection = await namespace("noise")
    const watch = new Watching(`${collection}?watch=1`, { headers: bearer() })
    await watch.opened()
    watch.socket.send("nobody listens")
    watch.socket.ping("x")
    const [pong] = await once(watch.socket, "pong")
    expect(String(pong)).toBe("x")
    watch.socket.send(Buffer.alloc(websocketMessageBytesMax + 1))
    expect(await watch.closed()).toBe(1009)
  })

  it("is ended when the client does not read, without affecting others", async () => {
    const collection = await namespace("slow")
    const before = at.server.parts.watches.size
    const slow = new Watching(`${collection}?watch=1`, { headers: bearer() })
    await slow.opened()
    await watchesOpen(before + 1)
    slow.socket.pause()
    const size = 512 * 1024
    // Reads again at once when the watch has ended: the server waits for the close, but not for long.
    let sent = 0
    while (at.server.parts.watches.size > before) await create(collection, `o${sent++}`, "x".repeat(size))
    slow.socket.resume()
    expect(await slow.closed()).toBe(1000)
    const told = slow.messages.map(({ bytes }) => JSON.parse(bytes.toString()).object.metadata.name)
    expect(told.length).toBeGreaterThan(0)
    expect(told.length).toBeLessThan(sent)
  })

  it("sends missed events in pieces, as the client reads them, and then new ones", async () => {
    const collection = await namespace("late")
    const start = String(await at.store.revision())
    const size = 256 * 1024
    const count = (2 * watchQueueBytesMax) / size
    const names = Array.from({ length: count }, (_none, index) => `o${String(index).padStart(3, "0")}`)
    for (const name of names) await create(collection, name, "x".repeat(size))
    const late = new Watching(`${collection}?watch=1&resourceVersion=${start}`, { headers: bearer() })
    await late.opened()
    late.socket.pause()
    await create(collection, "one-more")
    while (at.server.parts.watches.waitingBytes <= watchWaitingBytesMax) await setImmediate()
    // A piece ends with the object that fills it.
    expect(at.server.parts.watches.waitingBytes).toBeLessThan(watchWaitingBytesMax + 4 * size)
    late.socket.resume()
    while (late.messages.length < count + 1) await setImmediate()
    expect(late.messages.map(({ bytes }) => JSON.parse(bytes.toString()).object.metadata.name)).toEqual([...names, "one-more"])
    late.close()
  })
})

describe("a handshake", () => {
  const good = upgradeHeaders()

  it.each([
    ["no credential", {}, 401],
    ["a wrong credential", { authorization: "Bearer nobody" }, 401],
    ["a token without a protocol beside it", { "sec-websocket-protocol": () => `${tokenProtocol}${base64url(at.token)}` }, 401],
    ["two tokens", { "sec-websocket-protocol": () => `${tokenProtocol}eA, ${tokenProtocol}eA, v1` }, 401],
    ["a token that is not base64url", { "sec-websocket-protocol": () => `${tokenProtocol}!!!, v1` }, 401],
    ["a wrong token", { "sec-websocket-protocol": () => `${tokenProtocol}${base64url("nobody")}, v1` }, 401],
    ["another version", { authorization: bearer, "sec-websocket-version": "8" }, 400],
    ["a key that is too short", { authorization: bearer, "sec-websocket-key": "YWJj" }, 400],
    ["two protocols", { authorization: bearer, "sec-websocket-protocol": "v1, v2" }, 400],
    ["a protocol that is no name", { authorization: bearer, "sec-websocket-protocol": "v 1" }, 400],
  ])("with %s is refused with a Status", async (_what, headers, code) => {
    const given = Object.entries(headers).map(([name, value]) => {
      const made = typeof value === "function" ? value() : value
      return [name, typeof made === "string" ? made : made.authorization]
    })
    const { response, body } = await handshake("/api/v1/configmaps?watch=1", { ...good, ...Object.fromEntries(given) })
    expect(response.statusCode).toBe(code)
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", status: "Failure", code })
  })

  it.each([
    ["?watch=1&resourceVersion=abc", 400],
    ["?watch=1&resourceVersionMatch=Exact", 422],
    ["/a/b/c?watch=1", 404],
  ])("for %s is refused like the plain request", async (query, code) => {
    const { response, body } = await handshake(`/api/v1/namespaces/default/configmaps${query}`, { ...good, ...bearer() })
    expect(response.statusCode).toBe(code)
    expect(JSON.parse(body)).toMatchObject({ kind: "Status", code })
  })

  it("is not needed: a request that is not a watch is served as usual", async () => {
    const { response, body } = await handshake("/api/v1/namespaces/default/configmaps", { ...good, ...bearer() })
    expect(response.statusCode).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ kind: "ConfigMapList" })
  })

  it("for another protocol is not completed: the watch is a plain one", async () => {
    const path = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=-1"
    const { response, body } = await handshake(path, { ...good, ...bearer(), upgrade: "h2c" })
    expect(response.statusCode).toBe(200)
    expect(body).toBe("")
  })
})

it("a server that stops closes its websockets with 1001", async () => {
  const other = await startInProcess({ store: "memory", vendor: "kubernetes" })
  const socket = new WebSocket(`wss://127.0.0.1:${other.port}/api/v1/configmaps?watch=1`, {
    ca: other.authority,
    headers: { authorization: `Bearer ${other.token}` },
  })
  await once(socket, "open")
  const [[code]] = await Promise.all([once(socket, "close"), other.stop()])
  expect(code).toBe(1001)
})

interface Message {
  readonly bytes: Buffer
  readonly binary: boolean
}

/** One websocket and the messages it received. */
class Watching {
  readonly socket: WebSocket
  readonly messages: Message[] = []
  private code: number | undefined
  private read = 0

  constructor(path: string, options: ClientOptions, protocols: string[] = []) {
    this.socket = new WebSocket(`wss://127.0.0.1:${at.port}${path}`, protocols, { ...options, ca: at.authority })
    this.socket.on("message", (data, binary) => {
      if (Buffer.isBuffer(data)) this.messages.push({ bytes: data, binary })
    })
    this.socket.on("close", (code) => {
      this.code = code
    })
    this.socket.on("error", () => undefined)
    onTestFinished(() => this.close())
  }

  async opened(): Promise<void> {
    if (this.socket.readyState !== this.socket.OPEN) await once(this.socket, "open")
  }

  async nextMessage(): Promise<Message> {
    for (;;) {
      const message = this.messages[this.read]
      if (message !== undefined) {
        this.read++
        return message
      }
      if (this.code !== undefined) throw new Error(`closed with ${this.code}`)
      await setImmediate()
    }
  }

  async next(): Promise<unknown> {
    const { bytes, binary } = await this.nextMessage()
    expect(binary).toBe(false)
    return JSON.parse(bytes.toString())
  }

  async closed(): Promise<number> {
    while (this.code === undefined) await setImmediate()
    return this.code
  }

  close(): void {
    this.socket.terminate()
  }
}

function upgradeHeaders(): Record<string, string> {
  return { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" }
}

/** Sends an upgrade request by hand; a response other than 101 comes with its body. */
function handshake(path: string, headers: Record<string, string>): Promise<{ response: IncomingMessage; body: string }> {
  return new Promise((resolve, reject) => {
    const all = { ...upgradeHeaders(), ...headers }
    const outgoing = httpsRequest({ host: "127.0.0.1", port: at.port, ca: at.authority, agent: false, path, headers: all })
    outgoing.on("upgrade", (response, socket) => {
      socket.destroy()
      resolve({ response, body: "" })
    })
    outgoing.on("response", async (response) => {
      let body = ""
      for await (const chunk of response) body += String(chunk)
      resolve({ response, body })
    })
    outgoing.on("error", reject)
    outgoing.end()
  })
}

async function watchesOpen(count: number): Promise<void> {
  while (at.server.parts.watches.size !== count) await setImmediate()
}

async function namespace(name: string): Promise<string> {
  await send("/api/v1/namespaces", { metadata: { name } })
  return `/api/v1/namespaces/${name}/configmaps`
}

async function create(collection: string, name: string, text = ""): Promise<void> {
  await send(collection, { metadata: { name }, ...(text !== "" && { data: { text } }) })
}

async function send(path: string, object: object): Promise<void> {
  const headers = { ...bearer(), "content-type": "application/json" }
  const { status } = await client.send({ method: "POST", path, headers, body: Buffer.from(JSON.stringify(object)) })
  expect(status).toBe(201)
}

function bearer(): { authorization: string } {
  return { authorization: `Bearer ${at.token}` }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url")
}
