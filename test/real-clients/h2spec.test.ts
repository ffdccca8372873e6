/** RFC 7540 and RFC 7541, tested frame by frame by h2spec on both implementations of HTTP/2: every case, the strict ones too. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runCommand } from "../clients/command.ts"
import { freePort, type ServerProcess, startServerProcess } from "../clients/server-process.ts"

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""

/** A case that passes waits for nothing; one that fails waits so long, once or twice, for a frame that does not come. */
const frameTimeout = "5s"
const everyCaseFailsMs = 1_500_000

/**
 * What node:http2 does otherwise. The list is closed: a case that passes has to leave it. A frame of a stream that was closed is passed over in silence
 * (5.1), a request on a smaller stream number is answered (5.1.1), and a PING with ACK that was not asked for ends the connection (6.7). Node 20 ends the
 * connection with INTERNAL_ERROR when its window becomes too large (6.9.1/2), and its successors when that of a stream does (6.9.1/3); those read no
 * priorities any more (5.3.1, 6.3).
 */
const faultsOfNode = [
  ...["http2/5.1/8", "http2/5.1/9", "http2/5.1/11", "http2/5.1/12", "http2/5.1.1/2"],
  ...(process.versions.node.startsWith("20.")
    ? ["http2/6.7/2", "http2/6.9.1/2"]
    : ["http2/5.3.1/2", "http2/6.3/1", "http2/6.7/2", "http2/6.9.1/3"]),
]

async function startServer(implementation: string): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), "h2spec-"))
  const flags = [`--http2-implementation=${implementation}`]
  const server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort(), flags })
  onTestFinished(async () => {
    await server.process.end()
    await rm(folder, { recursive: true })
  })
  return server
}

/** A line for each case that failed: its number, a blank, and why. */
const numbersOf = (stderr: string): string[] =>
  stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(0, line.indexOf(" ")))

describe.skipIf(programs === undefined)(`h2spec${why}`, () => {
  it.each([
    ["own", []],
    ["node", faultsOfNode],
  ] as const)(
    "finds nothing that the HTTP/2 of %s does otherwise, but for what is listed",
    { timeout: everyCaseFailsMs },
    async (name, faults) => {
      const { port } = await startServer(name)
      const { stdout, stderr } = await runCommand(join(programs ?? "", "h2spec"), [`-port=${port}`, `-timeout=${frameTimeout}`])
      expect(numbersOf(stderr), stderr).toEqual(faults)
      const [, tests, passed, skipped] = /\n(\d+) tests, (\d+) passed, (\d+) skipped, \d+ failed\n$/.exec(stdout) ?? []
      expect(Number(tests)).toBeGreaterThan(140)
      expect([Number(passed), skipped]).toEqual([Number(tests) - faults.length, "0"])
    },
  )
})
