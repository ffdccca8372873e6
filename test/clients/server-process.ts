/**
 * Runs the server as a child process, by its command line. A server that is killed, or starts with a user's own kinds,
 * cannot run in the test's process.
 */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { type RunningCommand, startCommand } from "./command.ts"

const main = fileURLToPath(new URL("../../runtime/main.ts", import.meta.url))

/** Returns node's arguments for the program with these arguments: `new`, `gen`, `serve`. */
export function programArguments(...args: readonly string[]): string[] {
  return ["--import", import.meta.resolve("tsx"), main, ...args]
}

export interface ServerProcess {
  readonly process: RunningCommand
  readonly port: number
  readonly kubeconfigFile: string
  /** PEM file of the authority that clients trust. */
  readonly authority: string
  readonly token: string
  /** Opens a new connection; the caller closes it. */
  connect(): HttpClient
}

export interface ServerProcessOptions {
  readonly dataDir: string
  readonly port: number
  readonly flags?: readonly string[]
}

/** Resolves when the server has reported that it is ready. Rejects, with its output, when it ends before. */
export async function startServerProcess({ dataDir, port, flags = [] }: ServerProcessOptions): Promise<ServerProcess> {
  const fixed = ["--bind-address=127.0.0.1", `--secure-port=${port}`, `--data-dir=${dataDir}`]
  const process_ = startCommand(process.execPath, programArguments("serve", ...fixed, ...flags))
  await process_.until((stdout) => stdout.includes("Serving on "))
  const authority = readFileSync(join(dataDir, "pki", "ca.crt"), "utf8")
  return {
    process: process_,
    port,
    authority,
    kubeconfigFile: join(dataDir, "admin.kubeconfig"),
    token: readFileSync(join(dataDir, "admin.token"), "utf8").trim(),
    connect: () => createHttpClient({ protocol: "http2", port, authority }),
  }
}

/** A free port on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
