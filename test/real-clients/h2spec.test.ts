/** HTTP/2 by RFC 7540 and RFC 7541, tested frame by frame by h2spec: every case, including the strict ones. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../clients/command.ts"
import { freePort, type ServerProcess, startServerProcess } from "../clients/server-process.ts"

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""

/** A passing case does not wait; a failing one waits this long, once or twice, for a frame that never arrives. */
const frameTimeout = "5s"
const everyCaseFailsMs = 1_500_000

describe.skipIf(programs === undefined)(`h2spec${why}`, () => {
  let folder: string
  let server: ServerProcess

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "h2spec-"))
    server = await startServerProcess({ dataDir: join(folder, "data"), port: await freePort() })
  })
  afterAll(async () => {
    await server?.process.end()
    await rm(folder, { recursive: true })
  })

  it("finds no violation", { timeout: everyCaseFailsMs }, async () => {
    const { code, stdout, stderr } = await runCommand(join(programs ?? "", "h2spec"), [`-port=${server.port}`, `-timeout=${frameTimeout}`])
    expect(stderr).toBe("")
    expect(stdout).toMatch(/\n([1-9]\d*) tests, \1 passed, 0 skipped, 0 failed\n$/)
    expect(code).toBe(0)
  })
})
