/** Runs the built program as users do, in a child process that ends with the test. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { repository } from "../../scripts/freshness.mjs"
import { createHttpClient } from "./http-client.ts"

/** Suites call `buildBundle` first. */
export const program = join(repository, "dist/main.js")

export interface Program {
  readonly child: ChildProcess
  readonly port: number
  /** Resolves when the program's output matches. Rejects with all output when it ends before. */
  said(pattern: RegExp): Promise<void>
  readonly exit: Promise<number | null>
  /** Its output so far, from both streams. */
  output(): string
}

export function startProgram(dataDir: string, ...args: readonly string[]): Promise<Program> {
  return startWith({}, dataDir, ...args)
}

export function startWith(env: Readonly<Record<string, string>>, dataDir: string, ...args: readonly string[]): Promise<Program> {
  return run(env, ["serve", "--bind-address=127.0.0.1"], dataDir, args)
}

/** As `npm start` does. */
export function startLocally(dataDir: string, ...args: readonly string[]): Promise<Program> {
  return run({}, ["start"], dataDir, args)
}

/** As npm does for a script: in a shell, which gets the signals. The program may go on when the shell has ended. */
export function startInShell(script: string, dataDir: string, ...args: readonly string[]): Promise<Program> {
  return run({ npm_lifecycle_script: script }, ["-c", '"$0" "$@"; exit $?', program, "start"], dataDir, args, "/bin/sh")
}

/** Serves with these flags of node, in place of the flags in the program's first line. */
export function startWithFlags(flags: readonly string[], dataDir: string, ...args: readonly string[]): Promise<Program> {
  return run({}, [...flags, program, "serve", "--bind-address=127.0.0.1"], dataDir, args, process.execPath)
}

async function run(
  env: Readonly<Record<string, string>>,
  command: readonly string[],
  dataDir: string,
  args: readonly string[],
  file = program,
): Promise<Program> {
  const port = await freePort()
  const all = [...command, `--secure-port=${port}`, `--data-dir=${dataDir}`, ...args]
  const child = spawn(file, all, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  // The exit of the whole program: a process that it starts may go on writing after the child itself has ended.
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve))
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  function said(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => void (pattern.test(output) && resolve())
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", look)
      void exit.then(() => reject(new Error(`ended without saying ${String(pattern)}:\n${output}`)))
      look()
    })
  }
  return { child, port, said, exit, output: () => output }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

/** A folder that is removed when the test has finished, after the programs that it starts later have ended. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "start-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function ask(
  started: Program,
  dataDir: string,
  path: string,
  options: { method?: string; body?: string; token?: string } = {},
): Promise<{ status: number; body: string }> {
  const client = createHttpClient({ protocol: "http1", port: started.port, authority: readFileSync(join(dataDir, "pki/ca.crt"), "utf8") })
  const token = options.token ?? readFileSync(join(dataDir, "admin.token"), "utf8").trim()
  const headers = { ...(token !== "" && { authorization: `Bearer ${token}` }), "content-type": "application/yaml" }
  const { status, body } = await client.send({
    method: options.method ?? "GET",
    path,
    headers,
    ...(options.body !== undefined && { body: Buffer.from(options.body) }),
  })
  client.close()
  return { status, body: body.toString() }
}
