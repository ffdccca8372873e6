/**
 * `orch-apiserver dev` as its users have it: the built program in a process of its own, over a folder of schemas and
 * TypeScript that the test edits.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { buildBundle, repository } from "../scripts/freshness.mjs"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"

vi.setConfig({ testTimeout: 60_000 })
await buildBundle()

const schema = `kind: Kettle
group: kitchen.example.com
version: v1
doc: A kettle.
scope: Cluster
names: {plural: kettles}
fields:
  spec: {type: KettleSpec, doc: What is wanted.}
types:
  KettleSpec:
    doc: What is wanted of a kettle.
    checks: [kettleSpec]
    fields:
      colour: {type: string, default: red, doc: How it looks.}
`
const check = `import { defineCheck } from "orch-apiserver/schema"
import type { KettleSpec } from "../../generated/kitchen.example.com/v1/kettle/types.ts"
import { forbidden } from "../../lib/forbidden.ts"

export const kettleSpec = defineCheck<KettleSpec>((spec, context) => {
  if (spec.colour === forbidden) context.fail("Invalid", spec.colour, "is out of fashion", "colour")
})
`
const schemaPath = "schemas/kitchen.example.com/v1/kettle.yaml"
const kettles = "/apis/kitchen.example.com/v1/kettles"

interface Dev {
  readonly folder: string
  readonly child: ChildProcess
  readonly client: HttpClient
  readonly exit: Promise<number | null>
  output(): string
  /** Resolves when the output since the last call matches. */
  said(pattern: RegExp): Promise<void>
  write(path: string, text: string): void
  /** Writes as most editors do. */
  replace(path: string, text: string): void
  ask(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: string }>
}

function projectFolder(texts: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "dev-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const all = {
    [schemaPath]: schema,
    "behaviours/checks/kettle-spec.ts": check,
    "lib/forbidden.ts": 'export const forbidden = "beige"\n',
    ...texts,
  }
  for (const [path, text] of Object.entries(all)) writeBelow(folder, path, text)
  return folder
}

function writeBelow(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

async function startDev(folder: string, data = "data"): Promise<Dev> {
  const local = [`--data-dir=${data}`, `--secure-port=${await freePort()}`, "--authorization-mode=AlwaysAllow"]
  const args = ["dev", "--schemas", "schemas", "--store=memory", ...local]
  const child = spawn(join(repository, "dist/main.js"), args, {
    cwd: folder,
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve))
  let [text, read] = ["", 0]
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()))
  function said(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(text.slice(read))
        if (match === null) return
        read += match.index + match[0].length
        for (const stream of [child.stdout, child.stderr]) stream.off("data", look)
        resolve()
      }
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look)
      void exit.then(() => reject(new Error(`ended without saying ${String(pattern)}:\n${text}`)))
      look()
    })
  }
  await said(/Serving on https[^\n]*\n/)
  const [, port = ""] = /Serving on https:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? []
  const client = createHttpClient({
    protocol: "http2",
    port: Number(port),
    authority: readFileSync(join(folder, data, "pki/ca.crt"), "utf8"),
  })
  onTestFinished(() => client.close())
  const authorization = `Bearer ${readFileSync(join(folder, data, "admin.token"), "utf8").trim()}`
  async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: string }> {
    const answer = await client.send({
      method,
      path,
      headers: { authorization, "content-type": "application/json" },
      ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    })
    return { status: answer.status, body: answer.body.toString() }
  }
  return {
    folder,
    child,
    client,
    exit,
    output: () => text,
    said,
    write: (path, content) => writeBelow(folder, path, content),
    replace(path, content) {
      writeBelow(folder, `${path}.new`, content)
      renameSync(join(folder, `${path}.new`), join(folder, path))
    },
    ask,
  }
}

function kettle(name: string, spec: object = {}): object {
  return { apiVersion: "kitchen.example.com/v1", kind: "Kettle", metadata: { name }, spec }
}

const served = /serving \d+ kinds? of your own, \d+ ms after the change\n/

test("serves a changed schema on the same port and connection; objects stay", async () => {
  const dev = await startDev(projectFolder())
  expect((await dev.ask("POST", kettles, kettle("first"))).status).toBe(201)
  dev.replace(
    schemaPath,
    schema.replace("fields:\n      colour", "fields:\n      litres: {type: int32, default: 2, doc: Size.}\n      colour"),
  )
  await dev.said(served)
  const second = await dev.ask("POST", kettles, kettle("second"))
  expect(JSON.parse(second.body)).toMatchObject({ spec: { colour: "red", litres: 2 } })
  const first = await dev.ask("GET", `${kettles}/first`)
  expect(JSON.parse(first.body)).toMatchObject({ metadata: { name: "first" }, spec: { colour: "red" } })
  dev.child.kill("SIGINT")
  expect(await dev.exit).toBe(0)
  expect(dev.output()).not.toMatch(/error|MaxListeners/i)
})

test("reports faults and goes on serving; a mended schema is served", async () => {
  const dev = await startDev(projectFolder())
  dev.write(schemaPath, schema.replace("type: string", "type: strnig"))
  await dev.said(/schemas\/kitchen.example.com\/v1\/kettle.yaml:14:\d+: .*strnig[^]*still served\n/)
  expect((await dev.ask("POST", kettles, kettle("a"))).status).toBe(201)
  dev.write(schemaPath, schema.replace("default: red", "default: blue"))
  await dev.said(served)
  expect((await dev.ask("POST", kettles, kettle("b"))).body).toContain('"colour":"blue"')
})

test("serves changed TypeScript, also of modules that it imports, and reports what does not build", async () => {
  const dev = await startDev(projectFolder())
  expect((await dev.ask("POST", kettles, kettle("a", { colour: "beige" }))).status).toBe(422)
  dev.replace("lib/forbidden.ts", 'export const forbidden = "green"\n')
  await dev.said(served)
  expect((await dev.ask("POST", kettles, kettle("a", { colour: "beige" }))).status).toBe(201)
  expect((await dev.ask("POST", kettles, kettle("b", { colour: "green" }))).status).toBe(422)
  dev.write("behaviours/checks/kettle-spec.ts", check.replace("spec.colour ===", "spec.colour = = ="))
  await dev.said(/kettle-spec.ts:6: [^]*still served\n/)
  expect((await dev.ask("POST", kettles, kettle("b", { colour: "green" }))).status).toBe(422)
})

test("a watch ends at the change and goes on from its version at the next server", async () => {
  const dev = await startDev(projectFolder())
  const list = JSON.parse((await dev.ask("GET", kettles)).body) as { metadata: { resourceVersion: string } }
  const authorization = `Bearer ${readFileSync(join(dev.folder, "data/admin.token"), "utf8").trim()}`
  const watch = (version: string) =>
    dev.client.open({ method: "GET", path: `${kettles}?watch=true&resourceVersion=${version}`, headers: { authorization } })
  const { body } = await watch(list.metadata.resourceVersion)
  let text = ""
  body.on("data", (chunk: Buffer) => (text += chunk.toString()))
  const ended = new Promise<void>((resolve) => body.once("end", resolve))
  await dev.ask("POST", kettles, kettle("before"))
  dev.write(schemaPath, schema.replace("default: red", "default: blue"))
  await ended
  const events = text.trim().split("\n")
  expect(events.map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name)).toEqual(["before"])
  await dev.ask("POST", kettles, kettle("after"))
  const again = await watch(list.metadata.resourceVersion)
  const names = await new Promise<string[]>((resolve) => {
    let all = ""
    again.body.on("data", (chunk: Buffer) => {
      all += chunk.toString()
      const found = [...all.matchAll(/"name":"(before|after)"/g)].map(([, name = ""]) => name)
      if (found.length === 2) resolve(found)
    })
  })
  expect(names).toEqual(["before", "after"])
  again.destroy()
})

test("a folder that is removed and comes back, and a new kind, are served", async () => {
  const dev = await startDev(projectFolder())
  rmSync(join(dev.folder, "schemas"), { recursive: true })
  await dev.said(/holds no schema files[^]*still served\n/)
  expect((await dev.ask("GET", kettles)).status).toBe(200)
  dev.write(schemaPath, schema.replace("default: red", "default: blue"))
  await dev.said(served)
  expect((await dev.ask("POST", kettles, kettle("a"))).body).toContain('"colour":"blue"')
  dev.write(
    "schemas/kitchen.example.com/v1/pot.yaml",
    "kind: Pot\ngroup: kitchen.example.com\nversion: v1\ndoc: A pot.\nscope: Cluster\nnames: {plural: pots}\nfields: {}\n",
  )
  await dev.said(/serving 2 kinds of your own/)
  expect((await dev.ask("GET", "/apis/kitchen.example.com/v1/pots")).status).toBe(200)
})

test("begins without schemas, or with faulty ones", async () => {
  const folder = projectFolder({ [schemaPath]: "kind: 5\n" })
  const dev = await startDev(folder)
  expect(dev.output()).toContain("until that is mended, only the built-in kinds and what was generated before are served")
  expect((await dev.ask("GET", "/api/v1/namespaces")).status).toBe(200)
  dev.write(schemaPath, schema)
  await dev.said(served)
  expect((await dev.ask("GET", kettles)).status).toBe(200)
})

test("a storm of saves ends in what was saved last", async () => {
  const dev = await startDev(projectFolder())
  for (let index = 0; index <= 200; index++) {
    dev.replace(schemaPath, schema.replace("default: red", `default: colour${index}`))
    appendFileSync(join(dev.folder, "lib/forbidden.ts"), "\n")
  }
  await vi.waitFor(async () => expect((await dev.ask("POST", `${kettles}?dryRun=All`, kettle("a"))).body).toContain('"colour200"'), {
    timeout: 30_000,
  })
})

test("two programs over one folder of schemas both serve each change", async () => {
  const folder = projectFolder()
  const both = [await startDev(folder, "data1"), await startDev(folder, "data2")]
  for (const colour of ["blue", "green", "black"]) {
    both[0]?.replace(schemaPath, schema.replace("default: red", `default: ${colour}`))
    for (const dev of both) {
      await dev.said(served)
      expect((await dev.ask("POST", `${kettles}?dryRun=All`, kettle("a"))).body).toContain(`"colour":"${colour}"`)
    }
  }
  for (const dev of both) dev.child.kill("SIGTERM")
  for (const dev of both) expect(await dev.exit).toBe(0)
})
