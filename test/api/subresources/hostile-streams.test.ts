/**
 * Hostile node agents and hostile ends of tunnels, over real sockets: buffers and waiting times are bounded, and both
 * sides end together.
 */
import { afterEach, describe, expect, test } from "vitest"
import { proxyAnswerTimeoutMs, refusalBytesMax, refusalTimeoutMs, tunnelIdleTimeoutMs } from "../../../runtime/base/limits.ts"
import { pairFor } from "../../support/backend.ts"
import { type HostileBackend, type HostileOptions, startHostileBackend } from "../../support/hostile-backend.ts"
import { type Cluster, readUntil, startCluster } from "./cluster.ts"

const pod = "/api/v1/namespaces/default/pods/a"
let running: { cluster: Cluster; agent: HostileBackend } | undefined

afterEach(async () => {
  await running?.cluster.stop()
  await running?.agent.stop()
  running = undefined
})

/** A cluster whose pod `a` runs on a node with such an agent. */
async function start(always: string, options: HostileOptions = {}) {
  const pair = await pairFor(["127.0.0.1"])
  const agent = await startHostileBackend({ ...options, pair, always })
  const cluster = await startCluster({ allowedCidrs: ["127.0.0.0/8"], agentTls: pair })
  running = { cluster, agent }
  await cluster.node("n", {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  })
  await cluster.pod("a", "10.1.2.3", 80)
  return running
}

/** Advances the clock beyond the time limit of refusals until there is an answer. */
async function passing<T>(cluster: Cluster, answer: Promise<T>): Promise<T> {
  let isThere = false
  void answer.finally(() => {
    isThere = true
  })
  await expect
    .poll(() => {
      if (!isThere) cluster.at.clock.advance(refusalTimeoutMs)
      return isThere
    })
    .toBe(true)
  return answer
}

const askSpdy = [`POST ${pod}/exec?command=sh HTTP/1.1`, "Connection: Upgrade", "Upgrade: SPDY/3.1"]

describe("an agent", () => {
  test("that does not end its refusal of a log is a Status with what came, after ten seconds", async () => {
    const { cluster, agent } = await start("half-refusal")
    const sent = cluster.send("GET", `${pod}/log`)
    await expect.poll(() => agent.heard[0] ?? "").toContain("\r\n\r\n")
    const answer = await passing(cluster, sent)
    expect([answer.status, JSON.parse(answer.body.toString()).message]).toEqual([500, "Internal error occurred: half"])
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test("that refuses a log for ever is read as far as a message may be long", async () => {
    const { cluster, agent } = await start("endless-refusal")
    const answer = await cluster.send("GET", `${pod}/log`)
    const { message } = JSON.parse(answer.body.toString())
    expect([answer.status, message.length]).toEqual([500, refusalBytesMax + "Internal error occurred: ".length])
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test.each([
    ["silence", 504],
    ["status-999", 502],
    ["garbage", 500],
    ["switch-and-listen", 500],
  ])("that answers with %s when a log is asked for is %i", async (name, status) => {
    const { cluster, agent } = await start(name)
    const sent = cluster.send("GET", `${pod}/log`)
    await expect.poll(() => agent.heard[0] ?? "").toContain("\r\n\r\n")
    if (name === "silence") cluster.at.clock.advance(2 * proxyAnswerTimeoutMs)
    expect((await sent).status).toBe(status)
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test.each([
    ["half-refusal", /^HTTP\/1\.1 500 [^]*half$/],
    ["endless-refusal", /^HTTP\/1\.1 500 [^]*no no/],
  ])("that refuses a stream with %s is cut off after ten seconds", async (name, seen) => {
    const { cluster, agent } = await start(name)
    const socket = await cluster.raw(askSpdy)
    const answer = readUntil(socket, "")
    await expect.poll(() => agent.heard[0] ?? "").toContain("\r\n\r\n")
    expect(await passing(cluster, answer)).toMatch(seen)
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test.each(["status-999", "switch-no-upgrade", "garbage", "close", "endless-head", "x"])(
    "that answers a stream with %s is a Status",
    async (name) => {
      const { cluster, agent } = await start(name)
      expect(await readUntil(await cluster.raw(askSpdy), "")).toMatch(/^HTTP\/1\.1 50[02] [^]*"kind":"Status"/)
      await expect.poll(() => agent.connections()).toBe(0)
    },
  )
})

describe("a tunnel", () => {
  test("whose client does not read holds back the agent, and ends with the client", async () => {
    const { cluster, agent } = await start("endless-switch")
    const socket = await cluster.raw(askSpdy)
    socket.pause()
    let said = -1
    await expect
      .poll(async () => {
        const before = said
        for (let times = 0; times < 20; times++) expect((await cluster.send("GET", "/readyz")).status).toBe(200)
        said = agent.bytesSaid()
        return said > 0 && said === before
      })
      .toBe(true)
    expect(said).toBeLessThan(32 * 1024 * 1024)
    socket.destroy()
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test("whose agent does not read holds back the client", async () => {
    const { cluster } = await start("switch-and-deaf")
    const socket = await cluster.raw(askSpdy)
    await readUntil(socket, "\r\n\r\n")
    const block = Buffer.alloc(1024 * 1024)
    let taken = 0
    const took = (): void => {
      taken += block.length
    }
    for (let times = 0; times < 64; times++) socket.write(block, took)
    let before = -1
    await expect
      .poll(async () => {
        before = taken
        for (let times = 0; times < 20; times++) expect((await cluster.send("GET", "/readyz")).status).toBe(200)
        return taken > 0 && taken === before
      })
      .toBe(true)
    expect(taken).toBeLessThan(32 * 1024 * 1024)
  })

  test("ends when nothing has moved for long, and not before", async () => {
    const { cluster, agent } = await start("switch-and-listen")
    const socket = await cluster.raw(askSpdy)
    await readUntil(socket, "\r\n\r\n")
    const ended = readUntil(socket, "")
    for (let times = 0; times < 4; times++) {
      cluster.at.clock.advance(tunnelIdleTimeoutMs)
      socket.write("still here")
      await expect.poll(() => agent.heard[0]?.split("still here").length).toBe(times + 2)
    }
    cluster.at.clock.advance(2 * tunnelIdleTimeoutMs)
    await ended
    await expect.poll(() => agent.connections()).toBe(0)
  })

  test("ends as a whole when one side closes its half", async () => {
    // A plain connection: TLS has no halves that stay open.
    const backend = await startHostileBackend({ always: "switch-and-listen", staysHalfOpen: true })
    const cluster = await startCluster({ allowedCidrs: ["127.0.0.0/8"] })
    running = { cluster, agent: backend }
    await cluster.pod("a", "127.0.0.1", backend.port)
    const socket = await cluster.raw([`GET ${pod}/proxy/x HTTP/1.1`, "Connection: Upgrade", "Upgrade: SPDY/3.1"])
    await readUntil(socket, "\r\n\r\n")
    const ended = readUntil(socket, "")
    socket.end("last words")
    await ended
    await expect.poll(() => backend.heard[0]).toMatch(/last words$/)
    await cluster.stop()
    await backend.stop()

    const other = await start("switch-and-drop")
    expect(await readUntil(await other.cluster.raw(askSpdy), "")).toMatch(/^HTTP\/1\.1 101 /)
    await expect.poll(() => other.agent.connections()).toBe(0)
  })

  test("ends when the server stops", async () => {
    const { cluster, agent } = await start("endless-switch")
    const socket = await cluster.raw(askSpdy)
    await readUntil(socket, "\r\n\r\n")
    const ended = readUntil(socket, "")
    await cluster.at.stop()
    await ended
    await expect.poll(() => agent.connections()).toBe(0)
  })
})
