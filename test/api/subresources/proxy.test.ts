/**
 * Proxies of pods, services and nodes: what they pass on, what they keep back, and which addresses they refuse, as in
 * kube-apiserver 1.30; CVEs of proxies.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterEach, describe, expect, test } from "vitest"
import type { ConnectOptions } from "../../../runtime/connect/connector.ts"
import { type Backend, networkTo, pairFor, type ScriptedNetwork, startBackend, startSilence } from "../../support/backend.ts"
import { type Protocol, readAll } from "../../support/http-client.ts"
import { type Cluster, startCluster } from "./cluster.ts"

const pods = "/api/v1/namespaces/default/pods"
let running: { cluster: Cluster; backend: Backend; network: ScriptedNetwork } | undefined

type Answer = (request: IncomingMessage, response: ServerResponse) => void

async function start(
  answer: Answer,
  options: ConnectOptions & {
    protocol?: Protocol
    names?: Readonly<Record<string, readonly (readonly string[])[]>>
    pair?: Parameters<typeof startBackend>[0]["pair"]
  } = {},
) {
  const { protocol, names, pair, ...connect } = options
  const backend = await startBackend({ answer, ...(pair !== undefined && { pair }) })
  const network = networkTo(() => backend, names)
  const cluster = await startCluster({ network, ...connect }, protocol)
  running = { cluster, backend, network }
  return running
}

afterEach(async () => {
  await running?.cluster.stop()
  await running?.backend.stop()
  running = undefined
})

/** Answers with the request that it received. */
const echo: Answer = (request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() }),
    )
  })
}

describe.each(["http1", "http2"] as const)("over %s", (protocol) => {
  test("a request reaches the pod with its path, query and body, without what is this server's", async () => {
    const { cluster, network } = await start(echo, { protocol })
    await cluster.pod("a", "10.1.2.3", 8080)
    const answer = await cluster.send(
      "POST",
      `${pods}/a/proxy/x/%20y/?q=1&q=%2F`,
      { k: "v" },
      {
        "x-own": "1",
        "x-forwarded-for": "192.0.2.1",
        "impersonate-user": "root",
        "x-remote-user": "root",
      },
    )
    expect(answer.status).toBe(200)
    const { method, url, headers, body } = JSON.parse(answer.body.toString())
    expect({ method, url, body }).toEqual({ method: "POST", url: "/x/%20y/?q=1&q=%2F", body: '{"k":"v"}' })
    expect(headers).toMatchObject({
      "x-own": "1",
      "x-forwarded-for": "192.0.2.1, 127.0.0.1",
      "x-forwarded-uri": `${pods}/a/proxy/x/%20y/`,
      host: `127.0.0.1:${cluster.at.port}`,
    })
    for (const name of ["authorization", "impersonate-user", "x-remote-user", "upgrade", ":path"]) expect(headers).not.toHaveProperty(name)
    expect(network.dialled).toEqual(["10.1.2.3:8080"])
  })

  test("every method is passed on, and HEAD has no body", async () => {
    const { cluster, backend } = await start(echo, { protocol })
    await cluster.pod("a", "10.1.2.3", 80)
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"]) {
      const answer = await cluster.send(method, `${pods}/a:80/proxy/`)
      expect([method, answer.status, answer.body.length > 0]).toEqual([method, 200, method !== "HEAD"])
    }
    expect(backend.requests.map(({ method }) => method)).toEqual(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"])
    expect((await cluster.send("TRACE", `${pods}/a:80/proxy/`).catch(() => ({ status: 405 }))).status).toBe(405)
  })

  test("a large body streams both ways", async () => {
    const { cluster } = await start((request, response) => request.pipe(response), { protocol })
    await cluster.pod("a", "10.1.2.3", 80)
    const body = Buffer.alloc(8 * 1024 * 1024, "0123456789")
    const answer = await cluster.send("PUT", `${pods}/a/proxy/big`, body, { "content-type": "application/octet-stream" })
    expect(answer.body.equals(body)).toBe(true)
  })

  test("an answer that goes on is neither held back nor cut by the request's deadline", async () => {
    let finish = (): void => undefined
    const { cluster } = await start(
      (_request, response) => {
        response.write("first\n")
        finish = () => response.end("last\n")
      },
      { protocol },
    )
    await cluster.pod("a", "10.1.2.3", 80)
    const answer = await cluster.open("GET", `${pods}/a/proxy/`)
    const reading = readAll(answer.body)
    cluster.at.clock.advance(10 * 60_000)
    finish()
    expect((await reading).toString()).toBe("first\nlast\n")
  })

  test("a client that goes away ends the request at the other end", async () => {
    let gone: Promise<unknown> = Promise.resolve()
    const { cluster } = await start(
      (request, response) => {
        gone = new Promise((resolve) => request.socket.once("close", resolve))
        response.write("first\n")
      },
      { protocol },
    )
    await cluster.pod("a", "10.1.2.3", 80)
    const answer = await cluster.open("GET", `${pods}/a/proxy/`)
    answer.body.on("error", () => undefined)
    answer.destroy()
    await gone
  })

  test("an answer that breaks off breaks off for the client", async () => {
    const { cluster } = await start(
      (_request, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("half")
        response.socket?.end()
      },
      { protocol },
    )
    await cluster.pod("a", "10.1.2.3", 80)
    const answer = await cluster.open("GET", `${pods}/a/proxy/`)
    await expect(readAll(answer.body)).rejects.toThrow()
    expect((await cluster.send("GET", "/readyz")).status).toBe(200)
  })
})

test("fields of one connection do not reach the other, and no other site may read the answer", async () => {
  const { cluster, backend } = await start((_request, response) => {
    response.writeHead(200, {
      connection: "x-hop, close",
      "x-hop": "1",
      "x-kept": "1",
      "access-control-allow-origin": "*",
      "set-cookie": ["a=1", "b=2"],
      "cache-control": "max-age=60",
    })
    response.end("ok")
  })
  await cluster.pod("a", "10.1.2.3", 80)
  const answer = await cluster.send("GET", `${pods}/a/proxy/`, undefined, {
    connection: "x-mine",
    "x-mine": "1",
    te: "trailers",
    "proxy-authorization": "x",
  })
  expect(answer.headers).toMatchObject({ "x-kept": "1", "set-cookie": ["a=1", "b=2"], "cache-control": "no-cache, private, max-age=60" })
  expect(answer.headers).not.toHaveProperty("x-hop")
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin")
  const [request] = backend.requests
  expect(request?.headers).toMatchObject({ te: "trailers" })
  expect(request?.headers).not.toHaveProperty("x-mine")
  expect(request?.headers).not.toHaveProperty("proxy-authorization")
})

test("redirects are never followed, and those within the pod lead through the proxy (CVE-2018-1002102, CVE-2020-8559)", async () => {
  const links = [
    "/there/?x=1",
    "http://10.1.2.3:80/there",
    "https://elsewhere.example/there",
    "relative",
    "//elsewhere.example/x",
    "http://169.254.169.254/meta",
  ]
  const { cluster, backend, network } = await start((request, response) => {
    response.writeHead(302, { location: links[Number(request.url?.slice(1))] ?? "" })
    response.end()
  })
  await cluster.pod("a", "10.1.2.3", 80)
  const locations = []
  for (const index of links.keys()) {
    const answer = await cluster.send("GET", `${pods}/a:80/proxy/${index}`)
    expect(answer.status).toBe(302)
    locations.push(answer.headers.location)
  }
  expect(locations).toEqual([
    `${pods}/a:80/proxy/there/?x=1`,
    `${pods}/a:80/proxy/there`,
    "https://elsewhere.example/there",
    "relative",
    "//elsewhere.example/x",
    "http://169.254.169.254/meta",
  ])
  expect(backend.requests).toHaveLength(links.length)
  expect(network.dialled).toHaveLength(links.length)
})

test("links of HTML pages lead through the proxy, compressed or not; other pages stay as they are", async () => {
  const page =
    '<html><body background="/b.png"><!-- <a href="/no"> --><a href="/x">x</a><a href=rel>r</a><script src="/s.js">"<a href=\'/no\'>"</script></body></html>'
  const prefix = `${pods}/a:80/proxy`
  const expected = page.replace('"/b.png"', `"${prefix}/b.png"`).replace('"/x"', `"${prefix}/x"`).replace('"/s.js"', `"${prefix}/s.js"`)
  const { cluster } = await start((request, response) => {
    const zipped = request.url === "/zipped"
    response.writeHead(200, {
      "content-type": request.url === "/text" ? "text/plain" : "text/html; charset=utf-8",
      ...(zipped && { "content-encoding": "gzip" }),
    })
    response.end(zipped ? gzipSync(page) : page)
  })
  await cluster.pod("a", "10.1.2.3", 80)
  expect((await cluster.send("GET", `${prefix}/page`)).body.toString()).toBe(expected)
  expect(gunzipSync((await cluster.send("GET", `${prefix}/zipped`)).body).toString()).toBe(expected)
  expect((await cluster.send("GET", `${prefix}/text`)).body.toString()).toBe(page)
})

test("a service leads to the pods of its endpoints, and only to pods that say the address is theirs", async () => {
  const { cluster, network } = await start(echo)
  await cluster.pod("a", "10.1.2.3", 8080)
  await cluster.make("/api/v1/namespaces/default/services", {
    metadata: { name: "s" },
    spec: {
      ports: [
        { name: "web", port: 80 },
        { name: "admin", port: 81 },
      ],
    },
  })
  const target = (name: string, namespace = "default") => ({ targetRef: { kind: "Pod", name, namespace } })
  await cluster.make("/api/v1/namespaces/default/endpoints", {
    metadata: { name: "s" },
    subsets: [
      {
        addresses: [
          { ip: "10.1.2.9" },
          { ip: "10.1.2.8", ...target("a") },
          { ip: "10.1.2.7", ...target("none") },
          { ip: "10.1.2.6", ...target("a", "kube-system") },
          { ip: "10.1.2.3", ...target("a") },
        ],
        ports: [{ name: "web", port: 8080 }],
      },
    ],
  })
  for (const name of ["s:80", "s:web", "http:s:web", "s:80"]) {
    const answer = await cluster.send("GET", `/api/v1/namespaces/default/services/${name}/proxy/x`)
    expect([name, answer.status]).toEqual([name, 200])
  }
  expect(new Set(network.dialled)).toEqual(new Set(["10.1.2.3:8080"]))
  expect((await cluster.send("GET", "/api/v1/namespaces/default/services/s:admin/proxy/x")).status).toBe(503)
  expect((await cluster.send("GET", "/api/v1/namespaces/default/services/s/proxy/x")).status).toBe(503)
})

test("https of a pod is spoken without judging its certificate, and without showing this server's", async () => {
  const pair = await pairFor(["other.example"])
  const own = await pairFor(["server.example"])
  const { cluster, backend } = await start(echo, {
    pair,
    agentTls: { certificate: own.certificate, key: own.key, authority: own.authority },
  })
  await cluster.pod("a", "10.1.2.3", 443)
  expect((await cluster.send("GET", `${pods}/https:a:443/proxy/x`)).status).toBe(200)
  expect(backend.certified).toEqual([false])
})

describe("nodes", () => {
  const status = { addresses: [{ type: "Hostname", address: "node.example" }], daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } }
  const names = { "node.example": [["10.9.8.7"], ["127.0.0.1"]] }

  test("a name is resolved once, and the address that was judged is the one dialled (CVE-2020-8562)", async () => {
    const pair = await pairFor(["node.example"])
    const { cluster, backend, network } = await start(echo, { pair, names, agentTls: pair })
    await cluster.node("n", status)
    const answer = await cluster.send("GET", "/api/v1/nodes/n/proxy/healthz?verbose")
    expect([answer.status, JSON.parse(answer.body.toString()).url]).toEqual([200, "/healthz?verbose"])
    expect(backend.certified).toEqual([true])
    expect([network.lookedUp, network.dialled]).toEqual([["node.example"], ["10.9.8.7:10250"]])
    const second = await cluster.send("GET", "/api/v1/nodes/n/proxy/healthz")
    expect([second.status, network.dialled.length]).toEqual([400, 1])
  })

  test("one refused address among those of a name refuses the name (CVE-2022-3294)", async () => {
    const { cluster, network } = await start(echo, { names: { "node.example": [["10.9.8.7", "::1"]] } })
    await cluster.node("n", status)
    for (const name of ["n", "n:10250", "n:80", "https:n:443"]) {
      const answer = await cluster.send("GET", `/api/v1/nodes/${name}/proxy/`)
      expect([name, answer.status, JSON.parse(answer.body.toString()).reason]).toEqual([name, 400, "BadRequest"])
    }
    expect(network.dialled).toEqual([])
  })

  test("an agent whose certificate is another authority's is not spoken to", async () => {
    const pair = await pairFor(["node.example"])
    const other = await pairFor(["node.example"])
    const { cluster, backend } = await start(echo, { pair, names, agentTls: { authority: other.authority } })
    await cluster.node("n", status)
    const answer = await cluster.send("GET", "/api/v1/nodes/n/proxy/healthz")
    expect([answer.status, backend.requests.length]).toEqual([503, 0])
  })

  test("a connection that does not stand in time is given up", async () => {
    const { cluster, network } = await start(echo, { names, agentTimeoutMs: 7000 })
    await cluster.node("n", status)
    // TLS to a server that speaks none, and says nothing.
    const silent = await startSilence()
    Object.assign(network, { connect: networkTo(() => silent).connect })
    const sent = cluster.send("GET", "/api/v1/nodes/n/proxy/healthz")
    await expect.poll(async () => cluster.at.clock.nextDueMs() !== undefined && (await silent.connections()) > 0).toBe(true)
    cluster.at.clock.advance(7000)
    const answer = await sent
    expect([answer.status, JSON.parse(answer.body.toString()).message]).toEqual([503, expect.stringContaining("within 7000 ms")])
    await silent.stop()
  })
})

test("nothing that listens is 503, and this server's own addresses are refused", async () => {
  const { cluster, backend } = await start(echo, { allowedCidrs: ["10.0.0.0/8"] })
  await cluster.pod("a", "10.1.2.3", 80)
  await cluster.pod("loop", "127.0.0.1", 80)
  await backend.stop()
  const answer = await cluster.send("GET", `${pods}/a/proxy/`)
  expect([answer.status, JSON.parse(answer.body.toString())]).toMatchObject([
    503,
    { reason: "ServiceUnavailable", message: expect.stringContaining("error trying to reach service") },
  ])
  expect((await cluster.send("GET", `${pods}/loop/proxy/`)).status).toBe(400)
})
