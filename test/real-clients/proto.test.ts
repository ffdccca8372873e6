/** The emitted `.proto` files with the tools that users have: protoc with a client in Python, and buf. */
import { mkdir, rm } from "node:fs/promises"
import { mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../clients/command.ts"
import { freePort, programArguments, type ServerProcess, startServerProcess } from "../clients/server-process.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const builtIn = join(repository, "generated", "proto")
const python = process.env.ORCH_PYTHON
const buf = process.env.ORCH_BUF

describe.skipIf(python === undefined)(`protoc and a client in Python${python === undefined ? " (python3 is not installed)" : ""}`, () => {
  let folder: string
  let server: ServerProcess | undefined

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "proto-"))
    await program("new", "kitchen.example.com/v1", "Kettle", "--schemas", join(folder, "schemas"))
    await program("gen", "--schemas", join(folder, "schemas"), "--out", join(folder, "generated"))
    const flags = ["--vendor=kubernetes", `--api=${join(folder, "generated")}`]
    server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort(), flags })
  })
  afterAll(async () => {
    await server?.process.end()
    await rm(folder, { recursive: true })
  })

  it("accept all files, and read and write what the server serves, byte for byte", async () => {
    if (server === undefined) throw new Error("the server has not started")
    const own = join(folder, "generated", "proto")
    const out = join(folder, "classes")
    await mkdir(out)
    await run(
      python ?? "",
      "-m",
      "grpc_tools.protoc",
      "-I",
      builtIn,
      "-I",
      own,
      `--python_out=${out}`,
      ...filesOf(builtIn),
      ...filesOf(own),
    )
    const script = fileURLToPath(new URL("python/messages.py", import.meta.url))
    const authority = join(folder, "data", "pki", "ca.crt")
    const printed = await run(python ?? "", script, out, `https://127.0.0.1:${server.port}`, authority, server.token)
    expect(printed).toBe(["maps", "pods", "kettles"].map((part) => `${part} work\n`).join(""))
  })
})

describe.skipIf(buf === undefined)(`buf${buf === undefined ? " (npm is not installed)" : ""}`, () => {
  it("finds nothing to say of the files, their layout and their numbers", async () => {
    expect(await run(buf ?? "", "lint", repository)).toBe("")
    expect(await run(buf ?? "", "format", "--diff", builtIn)).toBe("")
  })
})

async function program(...args: readonly string[]): Promise<void> {
  await run(process.execPath, ...programArguments(...args))
}

/** Resolves with the standard output of a command that must succeed in silence. */
async function run(command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd: repository })
  expect(stderr, args.join(" ")).toBe("")
  expect(code, `${args.join(" ")}\n${stdout}`).toBe(0)
  return stdout
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".proto"))
}
