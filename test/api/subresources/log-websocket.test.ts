/**
 * Logs over websockets, as browsers read them. As in the reference, each stream is served over a websocket too (without
 * a protocol, or with binary or base64.binary), and a pod without a node is 204 before the handshake is checked.
 */
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterEach, describe, expect, test } from "vitest"
import { WebSocket } from "ws"
import { networkTo, pairFor, startBackend } from "../../support/backend.ts"
import { type Cluster, readUntil, startCluster } from "./cluster.ts"

const pod = "/api/v1/namespaces/default/pods/a"
const tokenProtocol = "base64url.bearer.authorization.k8s.io."
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A cluster whose pod `a` runs on a node with an agent. */
async function start(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Cluster> {
  const pair = await pairFor(["10.9.8.7"])
  const backend = await startBackend({ answer, pair })
  const cluster = await startCluster({ network: networkTo(() => backend), agentTls: pair })
  stops.push(cluster.stop, backend.stop)
  await cluster.node("n", {
    addresses: [{ type: "InternalIP", address: "10.9.8.7" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_251 } },
  })
  await cluster.pod("a", "10.1.2.3", 80)
  return cluster
}

function open({ at }: Cluster, path: string, protocols: readonly string[] = []): WebSocket {
  const headers = protocols.some((name) => name.startsWith(tokenProtocol)) ? {} : { authorization: `Bearer ${at.token}` }
  return new WebSocket(`wss://127.0.0.1:${at.port}${path}`, [...protocols], { headers, ca: at.authority })
}

interface Heard {
  readonly pieces: readonly { readonly text: string; readonly binary: boolean }[]
  readonly code: unknown
}

/** All output of the server until it closes. */
async function heard(websocket: WebSocket): Promise<Heard> {
  const pieces: { text: string; binary: boolean }[] = []
  websocket.on("message", (data, binary) => pieces.push({ text: String(data), binary }))
  const [code] = await once(websocket, "close")
  return { pieces, code }
}

describe("a log over a websocket", () => {
  test("comes in binary messages and closes with 1000 at its end", async () => {
    const cluster = await start((_request, response) => response.end("one\ntwo\n"))
    for (const protocols of [[], ["binary.k8s.io"]]) {
      const websocket = open(cluster, `${pod}/log`, protocols)
      const { pieces, code } = await heard(websocket)
      expect(pieces.map(({ text }) => text).join("")).toBe("one\ntwo\n")
      expect(pieces.every(({ binary }) => binary)).toBe(true)
      expect([websocket.protocol, code]).toEqual([protocols[0] ?? "", 1000])
    }
  })

  test("comes in base64 for who asks for it, with the token among the protocols", async () => {
    const cluster = await start((_request, response) => response.end("é\n"))
    const token = Buffer.from(cluster.at.token).toString("base64url")
    const websocket = open(cluster, `${pod}/log?tailLines=1`, ["base64.binary.k8s.io", `${tokenProtocol}${token}`])
    const { pieces, code } = await heard(websocket)
    expect(pieces.map(({ text }) => Buffer.from(text, "base64").toString()).join("")).toBe("é\n")
    expect(pieces.some(({ binary }) => binary)).toBe(false)
    expect([websocket.protocol, code]).toEqual(["base64.binary.k8s.io", 1000])
  })

  test("is passed on while it is written; what the client says is passed over; the agent's end goes with the client's", async () => {
    let gone: Promise<unknown> = Promise.resolve()
    let write = (_line: string): void => undefined
    const cluster = await start((request, response) => {
      gone = new Promise((resolve) => request.socket.once("close", resolve))
      write = (line) => response.write(line)
      write("one\n")
    })
    const websocket = open(cluster, `${pod}/log?follow=true`)
    expect(String((await once(websocket, "message"))[0])).toBe("one\n")
    websocket.send("nobody listens")
    write("two\n")
    expect(String((await once(websocket, "message"))[0])).toBe("two\n")
    websocket.close()
    await gone
  })

  test("breaks off when the agent does", async () => {
    const cluster = await start((_request, response) => {
      response.write("one\n", () => response.destroy())
    })
    const { code } = await heard(open(cluster, `${pod}/log?follow=true`))
    expect(code).toBe(1006)
  })

  test("of what cannot be had is a Status, and so is a handshake that cannot be answered", async () => {
    const cluster = await start((_request, response) => {
      response.statusCode = 404
      response.end("no such container")
    })
    const upgrade = [
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    const seen = async (path: string, lines: readonly string[]): Promise<string> =>
      readUntil(await cluster.raw([`GET ${path} HTTP/1.1`, ...lines]), "")
    expect(await seen(`${pod}/log`, upgrade)).toMatch(/^HTTP\/1\.1 404 [^]*"reason":"NotFound"/)
    expect(await seen(`${pod}/log`, [...upgrade, "Sec-WebSocket-Protocol: v4.channel.k8s.io"])).toMatch(
      /^HTTP\/1\.1 400 [^]*binary\.k8s\.io or base64\.binary\.k8s\.io/,
    )
    expect(await seen(`${pod}/log`, upgrade.slice(0, 3))).toMatch(/^HTTP\/1\.1 400 [^]*Sec-WebSocket-Key/)
  })

  test("of a pod without a node is 204", async () => {
    const cluster = await start(() => undefined)
    await cluster.make("/api/v1/namespaces/default/pods", { metadata: { name: "b" }, spec: { containers: [{ name: "c", image: "i" }] } })
    const lines = ["GET /api/v1/namespaces/default/pods/b/log HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"]
    expect(await readUntil(await cluster.raw(lines), "")).toMatch(/^HTTP\/1\.1 204 /)
  })
})
