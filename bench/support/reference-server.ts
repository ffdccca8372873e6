/** The reference server with its etcd, from a folder with a program `run.sh PORT`. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { openHttp2Client } from "./http2-client.ts"
import type { Measurable } from "./load.ts"
import { freePort, type Target } from "./server-process.ts"

export interface ReferenceServer extends Target, Measurable {
  stop(): Promise<void>
}

const pollMs = 100
/** A server with an existing certificate is ready within seconds. */
const readyPollsMax = 1200

/**
 * Resolves when it serves. The first start may build it, for minutes. `options`: further options of the server.
 * `token`: the administrator's, if `options` name another file of tokens.
 */
export async function startReference(folder: string, options: readonly string[] = [], token = "reference-token"): Promise<ReferenceServer> {
  const files = mkdtempSync(join(tmpdir(), "bench-reference-"))
  const port = await freePort()
  const child = spawn(join(folder, "run.sh"), [String(port), ...options], { stdio: "ignore", env: { ...process.env, TMPDIR: files } })
  const exited = once(child, "exit")
  const stop = async (): Promise<void> => {
    child.kill()
    await exited
    rmSync(files, { recursive: true, force: true })
  }
  process.once("exit", () => child.kill())
  let authority = certificateIn(files)
  while (authority === "") {
    if (child.exitCode !== null) throw new Error(`run.sh in ${folder} ended with ${child.exitCode}`)
    await setTimeout(pollMs)
    authority = certificateIn(files)
  }
  const target = { port, authority, token }
  for (let poll = 1; !(await isReady(target)); poll++) {
    if (poll > readyPollsMax) {
      await stop()
      throw new Error(`run.sh in ${folder} has a certificate, and was not ready for ${(readyPollsMax * pollMs) / 1000} s`)
    }
    await setTimeout(pollMs)
  }
  const [pid = 0, ...otherPids] = childrenOf(child.pid ?? 0)
  return { ...target, pid, otherPids, stop }
}

/** The text of the certificate that the server created below a folder; empty before that. */
function certificateIn(folder: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith("apiserver.crt"))
  return found === undefined ? "" : readFileSync(join(folder, found), "utf8")
}

async function isReady(target: Target): Promise<boolean> {
  const client = openHttp2Client(target)
  try {
    return (await client.send({ method: "GET", path: "/readyz" })).status === 200
  } catch {
    return false
  } finally {
    client.close()
  }
}

/** proc(5). Linux only. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim()
  return text === "" ? [] : text.split(" ").map(Number)
}
