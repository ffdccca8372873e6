/** The server as a process of its own, from its command line: what is killed, or starts with a user's own kinds, cannot live in the test's process. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { type RunningCommand, startCommand } from "./command.ts"

const main = fileURLToPath(new URL("../../runtime/main.ts", import.meta.url))

/** Node's arguments for the program with these arguments of its own: `new`, `gen`, `serve`. */
export function programArguments(...args: readonly string[]): string[] {
  return ["--import", import.meta.resolve("tsx"), main, ...args]
}

export interface ServerProcess {
  readonly process: RunningCommand
  readonly port: number
  readonly kubeconfigFile: string
  /** PEM file of what clients trust. */
  readonly authority: string
  readonly token: string
  /** A connection of its own; the caller closes it. */
  connect(): HttpClient
}

export interface ServerProcessOptions {
  readonly dataDir: string
  readonly port: number
  readonly flags?: readonly string[]
}

/** Resolves when the server has told that it is ready; rejects, with what it wrote, when it ends before. */
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

/** A port of loopback that nobody has at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
