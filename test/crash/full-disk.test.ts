/** Promise 8: errors and status report a full disk, reads go on, and the store recovers by itself. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, test } from "vitest"
import { describeWhere } from "../support/needs.ts"

const place = mkdtempSync(join(tmpdir(), "full-disk-"))
afterAll(() => rmSync(place, { recursive: true }))

/**
 * Runs a command with a file system of 8 MiB at `place`, visible to that command only; needs Linux and user namespaces.
 */
function onSmallDisk(command: string): { status: number | null; stdout: string; stderr: string } {
  const script = `mount -t tmpfs -o size=8m tmpfs ${place} && exec ${command}`
  return spawnSync("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script], { encoding: "utf8" })
}

const possible = process.platform === "linux" && onSmallDisk("true").status === 0

describeWhere(possible, "a user namespace cannot be made")("a full disk", () => {
  test("stops writes with the code full, but not reads, and recovers", { timeout: 60_000 }, () => {
    const writer = fileURLToPath(new URL("full-disk-writer.ts", import.meta.url))
    const { stdout, stderr } = onSmallDisk(`${process.execPath} --import tsx ${writer} ${place}`)
    expect(stderr.replace(/^npm warn.*\n/gm, "")).toBe("")
    const found = JSON.parse(stdout)
    expect(found.code).toBe("full")
    expect(found.fault).toContain("is full")
    expect(found.written).toBeGreaterThan(20)
    expect(found.readable).toBe(found.written)
    expect(found.after).toEqual({ ok: true, revision: found.written + 2 })
    expect(found.heard).toBe(found.written + 1)
    expect(found.revision).toBe(found.written + 2)
  })
})
