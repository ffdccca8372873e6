/**
 * Hostile backends of proxy paths, over real sockets. The server passes their answers on, replaces them by a Status, or
 * breaks them off; it buffers none of them and leaves no connection open.
 */
import { afterEach, describe, expect, test } from "vitest"
import { proxyAnswerTimeoutMs } from "../../../runtime/base/limits.ts"
import { finiteAnswers, type HostileBackend, startHostileBackend } from "../../support/hostile-backend.ts"
import type { Protocol } from "../../support/http-client.ts"
import { type Cluster, startCluster } from "./cluster.ts"

const proxy = "/api/v1/namespaces/default/pods/a/proxy"
let running: { cluster: Cluster; backend: HostileBackend } | undefined

afterEach(async () => {
  await running?.cluster.stop()
  await running?.backend.stop()
  running = undefined
})

async function start(protocol: Protocol) {
  const backend = await startHostileBackend()
  const cluster = await startCluster({ allowedCidrs: ["127.0.0.0/8"] }, protocol)
  running = { cluster, backend }
  await cluster.pod("a", "127.0.0.1", backend.port)
  return running
}

/** Malformed: there is no answer. */
const unreadable = [
  ...["close", "reset", "garbage", "http-0.9", "http-2", "http-3", "request"],
  ...["status-42", "status-1000", "status-negative", "status-word", "reason-long"],
  ...["header-long", "header-name-long", "header-flood", "header-nul", "header-controls", "header-folded", "header-no-colon"],
  ...["header-no-name", "header-blank-name", "header-pseudo", "header-bare-cr"],
  ...["length-two", "length-list", "length-negative", "length-huge", "length-word", "length-and-chunked"],
  ...["many-continues", "switch-unasked"],
]
/** Well-formed, but not allowed to be passed on. */
const impassable = [
  ...["status-000", "status-042", "status-099", "status-600", "status-999"],
  ...["header-many", "encoding-unknown", "encoding-twice", "switch-no-upgrade"],
]
/**
 * Answers with a good head whose rest is bad. The head is already passed on, so a Status would look like the backend's
 * own body.
 */
const broken = [
  ...["length-short", "chunk-bad-size", "chunk-huge-size", "chunk-negative", "chunk-no-end", "chunk-extension"],
  ...["trailers-forbidden", "trailers-long", "trailers-controls", "html-in-bad-gzip", "html-in-cut-gzip"],
]
const statuses: Readonly<Record<string, number>> = {
  ...Object.fromEntries(unreadable.map((name) => [name, 503])),
  ...Object.fromEntries(impassable.map((name) => [name, 502])),
  "bodiless-with-body": 204,
  "not-modified-with-body": 304,
  "location-long": 302,
  "location-two": 302,
}

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  test("every answer that ends is passed on, refused or broken off", async () => {
    const { cluster, backend } = await start(protocol)
    for (const name of Object.keys(finiteAnswers)) {
      const answer = await cluster.send("GET", `${proxy}/${name}`).catch(() => undefined)
      expect([name, answer?.status]).toEqual([name, broken.includes(name) ? undefined : (statuses[name] ?? 200)])
      if (answer !== undefined && answer.status >= 500)
        expect([name, JSON.parse(answer.body.toString())]).toEqual([name, expect.objectContaining({ kind: "Status", code: answer.status })])
    }
    await expect.poll(() => backend.connections()).toBe(0)
    expect((await cluster.send("GET", "/readyz")).status).toBe(200)
    expect(cluster.at.log.join("\n")).not.toContain("failed unexpectedly")
  })

  test("what comes in chunks of a byte goes on in larger ones", async () => {
    const { cluster } = await start(protocol)
    const answer = await cluster.open("GET", `${proxy}/tiny-chunks`)
    let [bytes, pieces] = [0, 0]
    for await (const piece of answer.body) {
      bytes += piece.length
      pieces++
    }
    expect(bytes).toBe(100_000)
    expect(pieces).toBeLessThan(10_000)
  })

  test("a second answer on the same connection is nobody's", async () => {
    const { cluster } = await start(protocol)
    expect((await cluster.send("GET", `${proxy}/length-long`)).body.toString()).toBe("ok")
    expect((await cluster.send("GET", `${proxy}/bodiless-with-body`)).body.toString()).toBe("")
    expect((await cluster.send("GET", `${proxy}/x`)).body.toString()).toBe("ok")
  })

  test("HEAD of whatever they say has no body", async () => {
    const { cluster, backend } = await start(protocol)
    for (const name of ["x", "html-in-bad-gzip", "html-of-links", "length-short", "chunk-bad-size"]) {
      const answer = await cluster.send("HEAD", `${proxy}/${name}`)
      expect([name, answer.status, answer.body.length]).toEqual([name, 200, 0])
    }
    await expect.poll(() => backend.connections()).toBe(0)
  })

  test.each(["endless-head", "endless-header", "endless-reason", "endless-continues"])("%s is refused", async (name) => {
    const { cluster, backend } = await start(protocol)
    const answer = await cluster.send("GET", `${proxy}/${name}`)
    expect([answer.status, JSON.parse(answer.body.toString()).reason]).toEqual([503, "ServiceUnavailable"])
    await expect.poll(() => backend.connections()).toBe(0)
    expect(backend.bytesSaid()).toBeLessThan(16 * 1024 * 1024)
  })

  test.each(["silence", "half-head", "head-in-drips"])("%s is 504 after a while", async (name) => {
    const { cluster, backend } = await start(protocol)
    const sent = cluster.send("GET", `${proxy}/${name}`)
    await expect.poll(() => backend.heard[0] ?? "").toContain("\r\n\r\n")
    cluster.at.clock.advance(2 * proxyAnswerTimeoutMs)
    const answer = await sent
    expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([504, { reason: "Timeout" }])
    await expect.poll(() => backend.connections()).toBe(0)
  })

  test.each(["endless-extension", "endless-trailers"])("%s breaks off", async (name) => {
    const { cluster, backend } = await start(protocol)
    await expect(cluster.send("GET", `${proxy}/${name}`)).rejects.toThrow()
    await expect.poll(() => backend.connections()).toBe(0)
  })

  test.each(["endless-body", "endless-chunks", "endless-tags", "endless-refusal"])("%s waits for its reader", async (name) => {
    const { cluster, backend } = await start(protocol)
    const answer = await cluster.open("GET", `${proxy}/${name}`)
    answer.body.on("error", () => undefined)
    // Bytes on their way fill the buffers of sockets and streams; then nothing moves.
    let said = -1
    await expect
      .poll(async () => {
        const before = said
        for (let times = 0; times < 20; times++) expect((await cluster.send("GET", "/readyz")).status).toBe(200)
        said = backend.bytesSaid()
        return said === before
      })
      .toBe(true)
    expect(said).toBeLessThan(32 * 1024 * 1024)
    answer.destroy()
    await expect.poll(() => backend.connections()).toBe(0)
  })

  test("half of a body ends with the client", async () => {
    const { cluster, backend } = await start(protocol)
    const answer = await cluster.open("GET", `${proxy}/half-body`)
    answer.body.on("error", () => undefined)
    answer.destroy()
    await expect.poll(() => backend.connections()).toBe(0)
  })

  test("a client that goes before there is an answer ends the request", async () => {
    const { cluster, backend } = await start(protocol)
    const sent = cluster.send("GET", `${proxy}/silence`).catch(() => undefined)
    await expect.poll(() => backend.connections()).toBe(1)
    cluster.client.close()
    await sent
    await expect.poll(() => backend.connections()).toBe(0)
  })
})

test("every answer that is expected is one that the backend gives", () => {
  expect([...unreadable, ...impassable, ...broken].filter((name) => finiteAnswers[name] === undefined)).toEqual([])
})
