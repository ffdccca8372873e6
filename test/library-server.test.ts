/** Features of `startServer` besides HTTP and `server.api`: a server can be reset, disposed of, or forgotten. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type LibraryServer, startServer } from "../runtime/library.ts"
import { startTestServer } from "./support/server.ts"

describe("reset", () => {
  let server: LibraryServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  /** Everything that the server keeps, by path. */
  async function content(): Promise<Readonly<Record<string, string | undefined>>> {
    const { core, discovery, scheduling, apiregistration } = server.api
    const { namespaces, services, endpoints, configmaps, pods } = core.v1
    const inCore = [namespaces.list(), services.list(), endpoints.list(), configmaps.list(), pods.list()]
    const others = [discovery.v1.endpointslices.list(), scheduling.v1.priorityclasses.list(), apiregistration.v1.apiservices.list()]
    const lists = [...inCore, ...others]
    const objects = (await Promise.all(lists)).flatMap(({ items }) => [...items])
    return Object.fromEntries(objects.map(({ kind, metadata: { name, namespace, uid } }) => [`${kind} ${namespace}/${name}`, uid]))
  }

  it("leaves what the start made, with its identity", async () => {
    const { core, apiregistration } = server.api
    const { namespaces, services, pods } = core.v1
    const before = await content()
    const own = ["Namespace undefined/default", "EndpointSlice default/orch", "PriorityClass undefined/system-node-critical"]
    const byName = ["ConfigMap orch-system/kube-apiserver-legacy-service-account-token-tracking", "APIService undefined/v1.apps"]
    expect(Object.keys(before)).toEqual(expect.arrayContaining([...own, ...byName]))
    for (let round = 0; round < 3; round++) {
      await namespaces.create({ metadata: { name: "team" } })
      const containers = [{ name: "main", image: "nginx" }]
      await pods.create("team", { metadata: { name: "kept", finalizers: ["example.com/never"] }, spec: { containers } })
      // The same address each time: the allocation ends with its Service.
      await services.create("team", { metadata: { name: "web" }, spec: { clusterIP: "10.0.0.7", ports: [{ port: 80 }] } })
      await namespaces.patch("default", { metadata: { labels: { changed: "yes" } } })
      await services.delete("default", "orch")
      await apiregistration.v1.apiservices.delete("v1.apps")
      await server.reset()
      expect(await content()).toEqual(before)
      expect((await namespaces.get("default")).metadata.labels).not.toHaveProperty("changed")
    }
  })

  it("is seen by watches", async () => {
    const { configmaps } = server.api.core.v1
    const { resourceVersion } = (await configmaps.create("default", { metadata: { name: "seen" } })).metadata
    const events = configmaps.watch("default", { ...(resourceVersion !== undefined && { resourceVersion }) })
    const first = (async () => {
      for await (const event of events) return event
      return undefined
    })()
    await server.reset()
    expect(await first).toMatchObject({ type: "DELETED", object: { metadata: { name: "seen" } } })
  })

  it("changes nothing when nothing was made", async () => {
    const version = async (): Promise<string> => (await server.api.core.v1.configmaps.list()).metadata.resourceVersion
    const before = await version()
    await server.reset()
    expect(await version()).toBe(before)
  })

  it("removes what an earlier server left in the folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "library-server-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    {
      await using first = await startServer({ "data-dir": folder })
      await first.api.core.v1.configmaps.create("default", { metadata: { name: "old" } })
    }
    await using second = await startServer({ "data-dir": folder })
    expect((await second.api.core.v1.configmaps.list("default")).items).toHaveLength(1)
    await second.reset()
    expect((await second.api.core.v1.configmaps.list("default")).items).toEqual([])
    expect((await second.api.core.v1.namespaces.list()).items).toHaveLength(4)
  })

  it("rejects once the server has stopped", async () => {
    const other = await startServer()
    await other.stop()
    await expect(other.reset()).rejects.toThrow()
  })
})

it("a server stops at the end of the block that uses it", async () => {
  let used: LibraryServer | undefined
  {
    await using server = await startServer()
    used = server
    await server.api.core.v1.namespaces.get("default")
  }
  await expect(used.api.core.v1.namespaces.get("default")).rejects.toMatchObject({ code: 503 })
})

it("the port is that of `port`, or of `secure-port`", async () => {
  const { port } = new URL((await startTestServer()).url)
  const free = await startServer()
  const freePort = Number(new URL(free.url).port)
  await free.stop()
  const server = await startTestServer({ "secure-port": freePort })
  expect(new URL(server.url).port).toBe(String(freePort))
  expect(port).not.toBe(String(freePort))
})

describe("a process that forgets stop", () => {
  const library = JSON.stringify(new URL("../runtime/library.ts", import.meta.url).href)

  /** Runs a program that may call `startServer`. Its output is a line per call of `print`. */
  function run(program: string): {
    child: ReturnType<typeof spawn>
    line: Promise<string>
    ended: Promise<unknown[]>
    output: () => string
  } {
    const text = `const { startServer } = await import(${library})\nconst print = (text) => process.stdout.write(text + "\\n")\n${program}`
    const folder = mkdtempSync(join(tmpdir(), "library-server-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "program.mts"), text)
    const args = ["--import", import.meta.resolve("tsx"), join(folder, "program.mts")]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    let output = ""
    const line = new Promise<string>((resolve) => {
      child.stdout.on("data", (data) => {
        output += String(data)
        if (output.includes("\n")) resolve(output.split("\n", 1)[0] ?? "")
      })
    })
    child.stderr.on("data", (data) => (output += String(data)))
    return { child, line, ended: once(child, "close"), output: () => output }
  }

  it("ends, although a client is connected", async () => {
    const { child, line, ended, output } = run(`
      const server = await startServer()
      await server.api.core.v1.configmaps.create("default", { metadata: { name: "a" } })
      process.once("SIGUSR2", () => clearInterval(waiting))
      const waiting = setInterval(() => {}, 1e6)
      print(server.url)`)
    const client = connect({ host: "127.0.0.1", port: Number(new URL(await line).port), rejectUnauthorized: false })
    client.on("error", () => {})
    onTestFinished(() => void client.destroy())
    await once(client, "secureConnect")
    child.kill("SIGUSR2")
    expect([await ended, output()]).toEqual([[0, null], expect.stringContaining("https://")])
  })

  it("ends only after what it waits for", async () => {
    const { ended, output } = run(`
      const server = await startServer()
      const { namespaces, configmaps } = server.api.core.v1
      await namespaces.create({ metadata: { name: "team" } })
      await configmaps.create("team", { metadata: { name: "a" } })
      await namespaces.delete("team")
      for await (const { type } of namespaces.watch({ fieldSelector: "metadata.name=team" })) if (type === "DELETED") break
      for await (const event of configmaps.watch("team", { timeoutSeconds: 0.1 })) print(event.type)
      await server.reset()
      await server.stop()
      print("done")`)
    expect([await ended, output()]).toEqual([[0, null], "done\n"])
  })

  it("ends with a store on disk too, when the server need not keep it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "library-server-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { ended, output } = run(`
      const server = await startServer({ "data-dir": ${JSON.stringify(folder)}, keepAlive: false })
      await server.api.core.v1.configmaps.create("default", { metadata: { name: "a" } })
      print("done")`)
    expect([await ended, output()]).toEqual([[0, null], "done\n"])
  })

  it("goes on when the server keeps it", async () => {
    const { child, line, ended } = run(`
      const server = await startServer({ keepAlive: true })
      process.once("beforeExit", () => print("ended"))
      setImmediate(() => setImmediate(() => print(server.url)))`)
    const url = await line
    expect(url).toContain("https://")
    for (let time = 0; time < 3; time++) {
      const client = connect({ host: "127.0.0.1", port: Number(new URL(url).port), rejectUnauthorized: false })
      await once(client, "secureConnect")
      client.destroy()
    }
    child.kill("SIGTERM")
    expect(await ended).toEqual([null, "SIGTERM"])
  })
})
