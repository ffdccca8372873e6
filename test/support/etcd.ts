/** Real etcd servers for tests: finds them, starts them on free ports in a folder of their own, stops them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { homedir, tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { test } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { connectEtcd, type EtcdTls } from "../../runtime/storage/etcd/connection.ts"
import { statusCall } from "../../runtime/storage/etcd/protocol.ts"
import { reportMissing } from "./needs.ts"

/** One etcd program on this machine and its version. */
export interface EtcdBinary {
  readonly path: string
  /** `3.5.21` */
  readonly version: string
}

/**
 * Every etcd version on this machine: from the PATH (Debian's is 3.4), and from the build of `test/support/etcd-build`
 * or the bench.
 */
export function etcdBinaries(): readonly EtcdBinary[] {
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    "/usr/bin",
    join(cacheFolder(), "orch-test"),
    join(cacheFolder(), "api-bench"),
  ]
  const found = new Map<string, EtcdBinary>()
  for (const path of folders.map((folder) => join(folder, "etcd"))) {
    const version = existsSync(path) ? versionOf(path) : undefined
    if (version !== undefined && !found.has(version)) found.set(version, { path, version })
  }
  return [...found.values()]
}

function cacheFolder(): string {
  return process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache")
}

function versionOf(path: string): string | undefined {
  const [, version] = /^etcd Version: (\S+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" })) ?? []
  return version
}

/**
 * Calls `suite` for each etcd. Without any, the suite is one skipped case whose name says what to do; where nothing may
 * be skipped, throws instead.
 */
export function forEachEtcd(suite: (binary: EtcdBinary) => void): void {
  const binaries = etcdBinaries()
  if (binaries.length === 0) missing()
  for (const binary of binaries) suite(binary)
}

/** Like `forEachEtcd`, for suites that need only one: the newest. */
export function forNewestEtcd(suite: (binary: EtcdBinary) => void): void {
  const [first, ...others] = etcdBinaries()
  if (first === undefined) missing()
  else suite(others.reduce((newest, each) => (compareVersions(each.version, newest.version) > 0 ? each : newest), first))
}

function missing(): void {
  const what = "no etcd on this machine: install etcd-server, or run `go build` in test/support/etcd-build as .ci/run does"
  reportMissing(what)
  test.skip(what, () => undefined)
}

function compareVersions(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true })
}

/** One server, or one member of a cluster. */
export interface EtcdServer {
  readonly url: string
  readonly pid: number
  /** Sends the signal. After SIGKILL the server may be started again with the same data. */
  kill(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its data. */
  dispose(): Promise<void>
}

/** Options of a server. */
export interface EtcdStart {
  /** More etcd command line options. */
  readonly args?: readonly string[]
  /** TLS that its clients need; the server then has an `https` address. */
  readonly tls?: EtcdTls
}

/** Starts an empty server and waits until it responds. Its limits allow the contract's largest values. */
export async function startEtcd(binary: EtcdBinary, start: EtcdStart = {}): Promise<EtcdServer> {
  const [member] = await startMembers(binary, 1, start)
  if (member === undefined) throw new Error("a cluster of one has one member")
  return member
}

/** Starts the members of one cluster and waits until they are connected. */
export function startEtcdCluster(binary: EtcdBinary, size: number): Promise<readonly EtcdServer[]> {
  return startMembers(binary, size, {})
}

/**
 * A free port may become the local end of another connection before etcd listens on it. Then etcd exits, and the next
 * attempt uses other ports.
 */
const startTries = 3

async function startMembers(binary: EtcdBinary, size: number, start: EtcdStart): Promise<readonly EtcdServer[]> {
  for (let tries = 1; ; tries++) {
    const results = await Promise.allSettled(await membersOnFreePorts(binary, size, start))
    const failed = results.find((result) => result.status === "rejected")
    const members = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
    if (failed === undefined) return members
    for (const member of members) await member.dispose()
    if (tries === startTries) throw failed.reason
  }
}

/** Starts the members. */
async function membersOnFreePorts(
  binary: EtcdBinary,
  size: number,
  { args = [], tls }: EtcdStart,
): Promise<readonly Promise<EtcdServer>[]> {
  const members: Member[] = []
  for (let index = 0; index < size; index++) {
    const client = `${tls === undefined ? "http" : "https"}://127.0.0.1:${await freePort()}`
    const peer = `http://127.0.0.1:${await freePort()}`
    members.push({
      name: `member-${index}`,
      dir: await mkdtemp(join(tmpdir(), "etcd-test-")),
      client,
      peer,
      ...(tls !== undefined && { tls }),
    })
  }
  return members.map((member) => startMember(binary, member, [...argumentsFor(binary, member, members), ...args]))
}

interface Member {
  readonly name: string
  readonly dir: string
  readonly client: string
  readonly peer: string
  readonly tls?: EtcdTls
}

async function startMember(binary: EtcdBinary, { client, dir, tls }: Member, all: readonly string[]): Promise<EtcdServer> {
  const place: Place = { server: client, ...(tls !== undefined && { tls }) }
  const remove = (): Promise<void> => rm(dir, { recursive: true, force: true })
  let child = await started(binary, all, place).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    url: client,
    get pid() {
      return child.pid ?? 0
    },
    async kill(signal) {
      child.kill(signal)
      if (signal === "SIGKILL") await ended(child)
    },
    async start() {
      child = await started(binary, all, place)
    },
    async dispose() {
      child.kill("SIGKILL")
      await ended(child)
      await remove()
    },
  }
}

function argumentsFor(binary: EtcdBinary, { name, dir, client, peer }: Member, members: readonly Member[]): string[] {
  const cluster = members.map((member) => `${member.name}=${member.peer}`).join(",")
  return [
    ...["--name", name, "--data-dir", dir],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster],
    ...["--max-request-bytes", String(16 * 1024 * 1024), "--max-txn-ops", "4096", "--log-level", "error"],
    // Debian's 3.4 syncs every write and has no such option.
    ...(binary.version.startsWith("3.4.") ? [] : ["--unsafe-no-fsync"]),
  ]
}

interface Place {
  readonly server: string
  readonly tls?: EtcdTls
}

async function started(binary: EtcdBinary, args: readonly string[], place: Place): Promise<ChildProcess> {
  const child = spawn(binary.path, args, { stdio: "ignore" })
  await answering(place, () => child.exitCode)
  return child
}

async function answering({ server, tls }: Place, exitCode: () => number | null): Promise<void> {
  const connection = connectEtcd({ servers: [server], ...(tls !== undefined && { tls }) }, systemClock)
  try {
    for (;;) {
      if (exitCode() !== null) throw new Error(`etcd ended with code ${exitCode()}`)
      try {
        const { leader } = await connection.call(statusCall, {}, { timeoutMs: 1000 })
        if (leader !== 0) return
      } catch {
        // Not ready yet; tried again.
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    connection.close()
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once("exit", () => resolve()))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no port was given")
  return address.port
}
