/** First mistakes of a newcomer: wrong commands and wrong folders, with the answers of the built program. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { buildBundle } from "../scripts/freshness.mjs"
import { createHttpClient } from "./support/http-client.ts"
import { ask, newFolder, program, startProgram, startWith } from "./support/program.ts"
import { startTestServer, type TestServer } from "./support/server.ts"

await buildBundle()

/** The exit code and the output of a command that ends by itself. */
function run(env: Readonly<Record<string, string>>, ...args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...env },
  })
  return { status, output: stdout + stderr }
}

describe("wrong folders", () => {
  it.each(["serve", "restore", "openapi"])("%s names a file that is in the way", (command) => {
    const file = join(newFolder(), "file")
    writeFileSync(file, "")
    const backup = join(newFolder(), "backup")
    writeFileSync(backup, "")
    const args = { serve: ["--data-dir", file], restore: [backup, "--data-dir", join(file, "inside")], openapi: ["--out", file] }
    const { status, output } = run({}, command, ...(args[command as keyof typeof args] ?? []))
    expect([status, output]).toEqual([1, expect.stringContaining(`${file} is a file where a folder is needed`)])
  })

  it.skipIf(!existsSync("/proc/self"))("a folder below /proc is refused, and nothing hangs", () => {
    const { status, output } = run({}, "serve", "--data-dir=/proc/orch/data")
    expect([status, output]).toEqual([1, expect.stringContaining("/proc/orch cannot be created")])
  })

  it("a data folder of another vendor is refused with the way out", async () => {
    const folder = newFolder()
    const first = await startProgram(folder)
    await first.said(/Serving on https/)
    first.child.kill("SIGTERM")
    await first.exit
    const { status, output } = run({}, "serve", `--data-dir=${folder}`, "--vendor=kubernetes")
    expect([status, output]).toEqual([1, expect.stringContaining("the store was filled with --vendor=orch")])
    expect(output).toContain("start with --vendor=orch, or name another store for --vendor=kubernetes")
  })
})

it("a new folder of Kubernetes' names beside an older .orch that has them is begun with a warning", async () => {
  const folder = newFolder()
  const before = await startProgram(join(folder, ".orch"), "--vendor=kubernetes")
  await before.said(/Serving on https/)
  before.child.kill("SIGTERM")
  await before.exit
  // It ends by itself, since it has half a certificate.
  const { stderr } = spawnSync(process.execPath, [program, "serve", "--vendor=kubernetes", "--tls-cert-file=half"], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  })
  expect(stderr).toMatch(/ WARN {2}\.orch has objects that were stored with --vendor=kubernetes, .*; --data-dir=\.orch goes on with them\n/)
})

describe("wrong commands", () => {
  it("an option that npm took is refused with the command that was meant", () => {
    const env = { npm_lifecycle_event: "start", npm_config_vendor: "kubernetes" }
    const { status, output } = run(env, "serve")
    expect([status, output]).toEqual([2, expect.stringContaining("two dashes end those: npm start -- --vendor=kubernetes")])
    const dev = run({ npm_lifecycle_event: "dev", npm_config_anonymous_auth: "true" }, "serve")
    expect(dev.output).toContain("npm run dev -- --anonymous-auth")
  })

  it("--version is answered by each way of starting", () => {
    for (const args of [["--version"], ["serve", "--version"], ["serve", "--bind-address=127.0.0.1", "--version"]])
      expect(run({}, ...args)).toEqual({ status: 0, output: expect.stringMatching(/^orch-apiserver \d+\.\d+\.\d+\n$/) })
  })

  it("a misspelt variable is reported, those of others are not", async () => {
    const started = await startWith({ ORCH_SECURE_PROT: "1", ORCH_GATEWAY_SERVICE_HOST: "10.0.0.1" }, newFolder())
    const said = started.said(/WARN .*ORCH_SECURE_PROT is no option and has no effect; did you mean ORCH_SECURE_PORT\?/)
    const other = started.said(/ORCH_GATEWAY/).then(() => "reported")
    await said
    await started.said(/Serving on https/)
    await expect(Promise.race([other, Promise.resolve("not reported")])).resolves.toBe("not reported")
    other.catch(() => undefined)
  })
})

it("a token of an issuer that the server does not know has its reason in the log, and not its text", async () => {
  const folder = newFolder()
  const started = await startProgram(folder)
  await started.said(/Serving on https/)
  const part = (text: string): string => Buffer.from(text).toString("base64url")
  const token = `${part('{"alg":"RS256"}')}.${part('{"iss":"https://other.example","sub":"jane"}')}.${part("signature")}`
  for (let each = 0; each < 3; each++) expect((await ask(started, folder, "/version", { token })).status).toBe(401)
  started.child.kill("SIGTERM")
  await started.exit
  const lines = started.output().match(/ WARN {2}a request could not be authenticated .*/g)
  expect(lines).toEqual([expect.stringContaining("https://other.example")])
  for (const text of token.split(".")) expect(started.output()).not.toContain(text)
})

describe("clients of Kubernetes at a server with other names", () => {
  const table = (group: string): string => `application/json;as=Table;v=v1;g=${group},application/json`

  async function warningFor(server: TestServer, accept: string): Promise<unknown> {
    const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
    const headers = { authorization: `Bearer ${server.token}`, accept }
    const answer = await client.send({ method: "GET", path: "/api/v1/namespaces", headers })
    client.close()
    return answer.headers["warning"]
  }

  it("get a Warning that says what to do", async () => {
    const server = await startTestServer()
    const advice = '299 - "this server uses the names of --vendor=orch; start it with --vendor=kubernetes for kubectl and client libraries"'
    expect(await warningFor(server, table("meta.k8s.io"))).toBe(advice)
    expect(await warningFor(server, "application/vnd.kubernetes.protobuf,application/json")).toBe(advice)
    expect(await warningFor(server, table("meta.orch.io"))).toBeUndefined()
    expect(await warningFor(server, "application/json")).toBeUndefined()
  })

  it("get none where the names are theirs", async () => {
    const server = await startTestServer({ vendor: "kubernetes" })
    expect(await warningFor(server, table("meta.k8s.io"))).toBeUndefined()
  })
})

it("the built program and library refuse a Node that is too old before they meet what it lacks", () => {
  // The version is all that can be changed here: `npm run test:nodes` runs real ones.
  const old = `--import=data:text/javascript,${encodeURIComponent('Object.defineProperty(process.versions, "node", { value: "18.20.8" })')}`
  const started = run({ NODE_OPTIONS: old }, "serve")
  expect(started).toEqual({ status: 1, output: "orch-apiserver needs Node 20.19 or newer; this is Node 18.20.8\n" })
  const library = JSON.stringify(join(program, "../library.js"))
  const said = execFileSync(
    process.execPath,
    ["--input-type=module", "-e", `await import(${library}).catch((error) => console.log(error.message))`],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH, NODE_OPTIONS: old },
    },
  )
  expect(said).toBe("orch-apiserver needs Node 20.19 or newer; this is Node 18.20.8\n")
})
