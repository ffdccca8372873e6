/** Requests that fail on their way to another machine, over real sockets: no open file is left behind. */
import { readdirSync } from "node:fs"
import { connect } from "node:tls"
import { afterEach, describe, expect, test } from "vitest"
import { pairFor } from "../../support/backend.ts"
import { type HostileBackend, startHostileBackend } from "../../support/hostile-backend.ts"
import { type Cluster, startCluster } from "./cluster.ts"

const pods = "/api/v1/namespaces/default/pods"
/** Shows a leak of one request in four. Each kind was tried 1,000 times and more; that takes two minutes. */
const times = 100
const atATime = 10
/** The client keeps a connection or two; a leak would keep one for every request. */
const spareMax = 2 * atATime

const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Calls `one` often, some calls at a time. The calls fail, as the test wants. */
async function often(one: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += atATime) await Promise.all(Array.from({ length: atATime }, () => one().catch(() => undefined)))
}

/** Number of open files; on systems that do not show them, of resources that node knows. */
function openFiles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : process.getActiveResourcesInfo().length
}

interface Place {
  readonly cluster: Cluster
  readonly backend: HostileBackend
}

/** Pod `a` and the agent of its node are the backend. */
async function start(always: string): Promise<Place> {
  const pair = await pairFor(["127.0.0.1"])
  const backend = await startHostileBackend({ always })
  const agent = await startHostileBackend({ always, pair })
  const cluster = await startCluster({ allowedCidrs: ["127.0.0.0/8"], agentTls: pair })
  stops.push(cluster.stop, backend.stop, agent.stop)
  const daemonEndpoints = { kubeletEndpoint: { Port: agent.port } }
  await cluster.node("n", { addresses: [{ type: "InternalIP", address: "127.0.0.1" }], daemonEndpoints })
  await cluster.pod("a", "127.0.0.1", backend.port)
  return { cluster, backend }
}

/** A request as bytes; resolves when the server has closed the connection, or had its first word and was left. */
function raw({ at }: Cluster, head: readonly string[], leaves: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: at.port, ca: at.authority, ALPNProtocols: ["http/1.1"] }, () => {
      socket.write(`${[...head, "Host: server.example", `Authorization: Bearer ${at.token}`].join("\r\n")}\r\n\r\n`, "latin1")
    })
    socket.on("data", () => {
      if (leaves) socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve())
  })
}

const upgrade = ["Connection: Upgrade", "Upgrade: SPDY/3.1"]

const kinds: Readonly<Record<string, readonly [string, (place: Place) => Promise<unknown>]>> = {
  "an ordinary answer": ["x", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "a character that cannot be passed on": ["x", ({ cluster }) => raw(cluster, [`GET ${pods}/a/proxy/?\x7f\x01 HTTP/1.1`], false)],
  "no connection": ["x", ({ cluster }) => cluster.send("GET", `${pods}/a:1/proxy/`)],
  "no TLS where it is asked for": ["garbage", ({ cluster, backend }) => cluster.send("GET", `${pods}/https:a:${backend.port}/proxy/`)],
  "a connection that breaks": ["reset", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "a status that is none": ["status-999", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "an answer that is malformed": ["header-nul", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "an answer that is cut": ["chunk-no-end", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "a protocol that nobody asked for": ["switch-unasked", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "a client that leaves an endless answer": ["endless-body", ({ cluster }) => raw(cluster, [`GET ${pods}/a/proxy/ HTTP/1.1`], true)],
  "a page in bad gzip": ["html-in-bad-gzip", ({ cluster }) => cluster.send("GET", `${pods}/a/proxy/`)],
  "a body that is not taken": ["reset", ({ cluster }) => cluster.send("POST", `${pods}/a/proxy/`, Buffer.alloc(100_000))],
  "a log that is refused": ["endless-refusal", ({ cluster }) => cluster.send("GET", `${pods}/a/log`)],
  "a stream that is refused": ["x", ({ cluster }) => raw(cluster, [`POST ${pods}/a/exec?command=x HTTP/1.1`, ...upgrade], false)],
  "a stream that the client leaves": [
    "switch-and-listen",
    ({ cluster }) => raw(cluster, [`POST ${pods}/a/exec?command=x HTTP/1.1`, ...upgrade], true),
  ],
  "a stream that the agent leaves": [
    "switch-and-drop",
    ({ cluster }) => raw(cluster, [`POST ${pods}/a/exec?command=x HTTP/1.1`, ...upgrade], false),
  ],
}

describe("however often", () => {
  test.each(Object.keys(kinds))("%s", async (name) => {
    const [always, one] = kinds[name] ?? ["x", () => Promise.reject(new Error("every kind has its request"))]
    const place = await start(always)
    await one(place).catch(() => undefined)
    const before = openFiles()
    await often(() => one(place))
    await expect.poll(() => openFiles() - before, { timeout: 5000 }).toBeLessThan(spareMax)
    expect((await place.cluster.send("GET", "/readyz")).status).toBe(200)
  })
})
