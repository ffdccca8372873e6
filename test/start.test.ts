/** From the command line to an answered request: the built program as users start it, and the library entry. */
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { buildBundle, repository } from "../scripts/freshness.mjs"
import { ask, newFolder, program, startProgram, startWith } from "./support/program.ts"
import { startTestServer } from "./support/server.ts"

await buildBundle()

const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: kept}}"

describe("the program", () => {
  it("is run by node with the options of npm start", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { scripts: { start: string } }
    const [firstLine] = readFileSync(program, "utf8").split("\n")
    expect(`#!/usr/bin/env -S ${scripts.start}`).toBe(`${firstLine} scripts/start.mjs`)
  })

  it("serves, keeps its objects, and ends on SIGTERM", async () => {
    const dataDir = newFolder()
    const first = await startProgram(dataDir)
    await first.said(/Serving on https/)
    expect((await ask(first, dataDir, "/api/v1/namespaces", { method: "POST", body: namespace })).status).toBe(201)
    first.child.kill("SIGTERM")
    expect(await first.exit).toBe(0)
    const second = await startProgram(dataDir)
    await second.said(/Serving on https/)
    expect((await ask(second, dataDir, "/api/v1/namespaces/kept")).status).toBe(200)
    second.child.kill("SIGINT")
    expect(await second.exit).toBe(0)
  })

  it("requires its credential and keeps it private to the owner", async () => {
    const dataDir = newFolder()
    const started = await startProgram(dataDir)
    await started.said(/Serving on https/)
    for (const path of ["/api/v1/namespaces", "/readyz", "/version", "/nothing"])
      for (const token of ["", "wrong"]) expect([path, (await ask(started, dataDir, path, { token })).status]).toEqual([path, 401])
    for (const file of ["admin.token", "admin.kubeconfig", "continue.secret"])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
    const kubeconfig = readFileSync(join(dataDir, "admin.kubeconfig"), "utf8")
    expect(kubeconfig).toContain(`server: https://127.0.0.1:${started.port}`)
    expect(kubeconfig).toContain(readFileSync(join(dataDir, "admin.token"), "utf8").trim())
  })

  it("continues serving while readiness fails, and exits at once on a second signal", async () => {
    const dataDir = newFolder()
    const started = await startProgram(dataDir, "--shutdown-delay-duration=1h")
    await started.said(/Serving on https/)
    started.child.kill("SIGTERM")
    await started.said(/stopping/)
    expect((await ask(started, dataDir, "/readyz")).status).toBe(500)
    expect((await ask(started, dataDir, "/livez")).status).toBe(200)
    expect((await ask(started, dataDir, "/api/v1/namespaces")).status).toBe(200)
    started.child.kill("SIGTERM")
    expect(await started.exit).toBe(143)
  })

  it.each([
    [
      "text",
      "Promise.reject(new Error('planted'))",
      / FATAL the server ends: a fault of the program origin=unhandledRejection\nError: planted\n {4}at /,
    ],
    [
      "text",
      "setTimeout(() => { throw 'planted' })",
      / FATAL the server ends: a fault of the program origin=uncaughtException\nError: planted\n/,
    ],
    ["json", "Promise.reject(new Error('planted'))", /"level":60.*"message":"planted".*"origin":"unhandledRejection"/],
  ])("logs as %s an uncaught error before it ends: %s", async (format, fault, said) => {
    const dataDir = newFolder()
    const planted = `--import=data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2", () => { ${fault} })`)}`
    const started = await startWith({ NODE_OPTIONS: planted }, dataDir, `--logging-format=${format}`)
    await started.said(/Serving on https|"ready"/)
    const told = started.said(said)
    started.child.kill("SIGUSR2")
    await told
    expect(await started.exit).toBe(1)
  })

  it("warns at every start when the port is reachable by others and every token has all rights", async () => {
    const started = await startProgram(newFolder(), "--bind-address=0.0.0.0")
    await started.said(/ WARN {2}--bind-address=0\.0\.0\.0 is open to other machines, and with --authorization-mode=AlwaysAllow/)
    const closed = await startProgram(newFolder())
    await closed.said(/Serving on https/)
    await expect(Promise.race([closed.said(/is open to other machines/), Promise.resolve("nothing was said")])).resolves.toBe(
      "nothing was said",
    )
  })

  it("refuses a secret that is not private any more", async () => {
    const dataDir = newFolder()
    const first = await startProgram(dataDir)
    await first.said(/Serving on https/)
    first.child.kill("SIGTERM")
    expect(await first.exit).toBe(0)
    const secret = join(dataDir, "continue.secret")
    const refused = async (message: RegExp): Promise<void> => {
      const started = await startProgram(dataDir)
      await expect(started.said(/Serving on https/)).rejects.toThrow(message)
      expect(await started.exit).toBe(1)
    }
    chmodSync(secret, 0o644)
    await refused(/continue\.secret is a secret, and its mode 644 lets everybody read or change it; chmod 600 it/)
    chmodSync(secret, 0o600)
    writeFileSync(secret, "\n")
    await refused(/continue\.secret is empty; remove it, and a new secret is made/)
    writeFileSync(secret, "!!!\n")
    await refused(/continue\.secret is too short to be a secret; remove it/)
  })

  it("reports why it cannot start", async () => {
    const dataDir = newFolder()
    const first = await startProgram(dataDir)
    await first.said(/Serving on https/)
    const locked = await startProgram(dataDir)
    await expect(locked.said(/Serving on https/)).rejects.toThrow(/is open in process \d+ .*--data-dir names another folder/)
    expect(await locked.exit).toBe(1)
    const taken = await startProgram(newFolder(), `--secure-port=${first.port}`)
    await expect(taken.said(/Serving on https/)).rejects.toThrow(
      `port ${first.port} on 127.0.0.1 is taken by another program; --secure-port names another one`,
    )
    expect(await taken.exit).toBe(1)
  })

  it("ends with 2 for an invalid option", async () => {
    const started = await startProgram(newFolder(), "--secure-prt=1")
    await expect(started.said(/Serving on https/)).rejects.toThrow("unknown option --secure-prt; did you mean --secure-port?")
    expect(await started.exit).toBe(2)
  })

  it("copies a store in use, and creates a new one from the copy", async () => {
    const dataDir = newFolder()
    const copy = join(newFolder(), "copy.mdb")
    const first = await startProgram(dataDir)
    await first.said(/Serving on https/)
    await ask(first, dataDir, "/api/v1/namespaces", { method: "POST", body: namespace })
    execFileSync(process.execPath, [program, "backup", copy, `--data-dir=${dataDir}`])
    const otherDir = join(newFolder(), "restored")
    execFileSync(process.execPath, [program, "restore", copy, `--data-dir=${otherDir}`])
    const second = await startProgram(otherDir)
    await second.said(/Serving on https/)
    expect((await ask(second, otherDir, "/api/v1/namespaces/kept")).status).toBe(200)
  })
})

describe("a folder with a user's own kinds", () => {
  it("is scaffolded, generated and served", async () => {
    const folder = newFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync(process.execPath, [program, ...args], { cwd: folder, encoding: "utf8" })
    run("new", "kitchen.example.com/v1", "Kettle", "--schemas", "schemas")
    run("gen", "--schemas", "schemas", "--out", "generated")
    const server = await startTestServer({ api: [join(folder, "generated")] })
    await server.request("POST", "/api/v1/namespaces", namespace)
    const kettle = (spec: string): string => `{apiVersion: kitchen.example.com/v1, kind: Kettle, metadata: {name: tea}, spec: ${spec}}`
    const path = "/apis/kitchen.example.com/v1/namespaces/kept/kettles"
    const refused = await server.request("POST", path, kettle("{mode: Sideways}"))
    expect([refused.status, refused.body.toString()]).toEqual([422, expect.stringContaining("spec.mode: Unsupported value")])
    const created = await server.request("POST", path, kettle("{}"))
    expect([created.status, JSON.parse(created.body.toString()).spec]).toEqual([201, { replicas: 1, mode: "Manual" }])
    const document = await server.request("GET", "/openapi/v3/apis/kitchen.example.com/v1")
    expect([document.status, document.body.toString()]).toEqual([200, expect.stringContaining("Kettle")])
  })

  it("is refused with advice when it is not one", async () => {
    const empty = newFolder()
    await expect(startTestServer({ api: [empty] })).rejects.toThrow("npm run gen -- --schemas")
    writeFileSync(join(empty, "index.ts"), "export const kinds = [")
    await expect(startTestServer({ api: [empty] })).rejects.toThrow(/the code does not build\n.*index\.ts:1/)
    writeFileSync(join(empty, "index.ts"), "export const kinds = [1]")
    await expect(startTestServer({ api: [empty] })).rejects.toThrow("index.ts holds no kinds of this version")
  })
})

describe("the library", () => {
  it("listens on a free port without options", async () => {
    const [one, other] = [await startTestServer(), await startTestServer({ vendor: "kubernetes" })]
    expect(one.url).not.toBe(other.url)
    expect((await one.request("GET", "/api/v1/namespaces")).status).toBe(200)
    expect(other.kubeconfig).toContain(other.url)
  })

  it("keeps its objects when it has a folder", async () => {
    const options = { "data-dir": newFolder() }
    const first = await startTestServer(options)
    await first.request("POST", "/api/v1/namespaces", namespace)
    await first.stop()
    const second = await startTestServer(options)
    expect((await second.request("GET", "/api/v1/namespaces/kept")).status).toBe(200)
  })
})
