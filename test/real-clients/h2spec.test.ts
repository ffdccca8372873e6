/** Runs all cases of h2spec for RFC 7540 and RFC 7541, strict ones included, against both implementations of HTTP/2. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runCommand } from "../clients/command.ts"
import { freePort, type ServerProcess, startServerProcess } from "../clients/server-process.ts"

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""

/** Time that h2spec waits for a frame. Passing cases do not wait; a failing case waits this long once or twice. */
const frameTimeout = "5s"
const everyCaseFailsMs = 1_500_000

/**
 * The cases that node:http2 fails. The list is exact: a case that passes must be removed. Node ignores a frame of a
 * closed stream (5.1), answers a request on a smaller stream number (5.1.1), and ends the connection at a PING with ACK
 * that answers none (6.7). If the window of the connection becomes too large, Node 20 ends the connection with
 * INTERNAL_ERROR (6.9.1/2); later versions do so for the window of a stream (6.9.1/3), and they ignore priorities
 * (5.3.1, 6.3).
 */
const faultsOfNode = [
  ...["http2/5.1/8", "http2/5.1/9", "http2/5.1/11", "http2/5.1/12", "http2/5.1.1/2"],
  ...(process.versions.node.startsWith("20.")
    ? ["http2/6.7/2", "http2/6.9.1/2"]
    : ["http2/5.3.1/2", "http2/6.3/1", "http2/6.7/2", "http2/6.9.1/3"]),
]

async function startServer(implementation: string): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), "h2spec-"))
  // The client has no credential, and most cases go on after an answer.
  const flags = [`--http2-implementation=${implementation}`, "--feature-gates=UnauthenticatedHTTP2DOSMitigation=false"]
  const server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort(), flags })
  onTestFinished(async () => {
    await server.process.end()
    await rm(folder, { recursive: true })
  })
  return server
}

/** The numbers of the failed cases. Each line is a number, a blank and a reason. */
const numbersOf = (stderr: string): string[] =>
  stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(0, line.indexOf(" ")))

describe.skipIf(programs === undefined)(`h2spec${why}`, () => {
  it.each([
    ["own", []],
    ["node", faultsOfNode],
  ] as const)("finds only the listed faults in the HTTP/2 of %s", { timeout: everyCaseFailsMs }, async (name, faults) => {
    const { port } = await startServer(name)
    const { stdout, stderr } = await runCommand(join(programs ?? "", "h2spec"), [`-port=${port}`, `-timeout=${frameTimeout}`])
    expect(numbersOf(stderr), stderr).toEqual(faults)
    const [, tests, passed, skipped] = /\n(\d+) tests, (\d+) passed, (\d+) skipped, \d+ failed\n$/.exec(stdout) ?? []
    expect(Number(tests)).toBeGreaterThan(140)
    expect([Number(passed), skipped]).toEqual([Number(tests) - faults.length, "0"])
  })
})
