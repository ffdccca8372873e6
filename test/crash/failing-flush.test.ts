/**
 * Promise 8 with a failing disk: when the kernel answers a flush with EIO, the commits that waited for it are
 * undecided, the health check reports it, reads go on, and the store accepts writes again once it could be reopened. No
 * acknowledged write is lost.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { verifyLmdb } from "../../runtime/storage/lmdb/backup.ts"
import { describeWhere } from "../support/needs.ts"

const place = mkdtempSync(join(tmpdir(), "failing-flush-"))
const flushesThatWork = 99
afterAll(() => rmSync(place, { recursive: true }))

/**
 * Runs a command in which each thread gets EIO for a few flushes, after a number that succeed; needs Linux, strace and
 * permission to trace.
 */
function onFailingDisk(command: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const fault = `inject=fdatasync:error=EIO:when=${flushesThatWork + 1}..${flushesThatWork + 3}`
  const tracer = ["-f", "-qq", "-o", join(place, "trace"), "-e", "trace=fdatasync", "-e", fault]
  return spawnSync("strace", [...tracer, ...command], { encoding: "utf8" })
}

const possible = process.platform === "linux" && onFailingDisk(["true"]).status === 0

describeWhere(possible, "strace is not installed, or may not trace")("a disk that fails", () => {
  test("leaves the flushed commits undecided, stops writes but not reads, loses no acknowledged write", { timeout: 60_000 }, async () => {
    const dir = join(place, "store")
    const writer = fileURLToPath(new URL("failing-flush-writer.ts", import.meta.url))
    const { stdout, stderr } = onFailingDisk([process.execPath, "--import", "tsx", writer, dir])
    expect(stderr.replace(/^npm warn.*\n/gm, "")).toBe("")
    const found = JSON.parse(stdout)
    expect(found.refused).toEqual([expect.stringMatching(/^undecided: .*Input\/output error/)])
    expect(found.fault).toContain("Input/output error")
    expect(found.before).toBeGreaterThan(10)
    expect(found.readable).toBe(found.before)
    expect(found.after).toBe(20)
    expect(found.revision).toBe(found.last)
    expect(await verifyLmdb(dir)).toMatchObject({ revision: found.last, keys: found.before + found.after })
  })
})
