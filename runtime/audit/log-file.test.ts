import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { backupPath } from "./log-backups.ts"
import { auditWaitingBytesMax } from "./limits.ts"
import { type LogFileOptions, LogStream, type LogTarget, openLogFile } from "./log-file.ts"

const dayMs = 24 * 3600 * 1000

function setUp(more: Partial<LogFileOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "audit-log-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = createManualClock()
  const faults: unknown[] = []
  const options: LogFileOptions = {
    path: join(folder, "audit.log"),
    clock,
    bytesMax: 100,
    maxAgeDays: 0,
    maxBackups: 0,
    compress: false,
    report: (fault) => void faults.push(fault),
    ...more,
  }
  return { clock, faults, folder, options, log: openLogFile(options), names: () => readdirSync(folder).toSorted() }
}

function fill(log: LogTarget, letter: string): void {
  log.write(Buffer.from(`${letter.repeat(79)}\n`))
}

describe("a log file", () => {
  it("is readable by its owner only, and appended to by the next server", async () => {
    const { options, log } = setUp()
    log.write(Buffer.from("one\n"))
    await log.stop()
    const next = openLogFile(options)
    next.write(Buffer.from("two\n"))
    await next.stop()
    expect(readFileSync(options.path, "utf8")).toBe("one\ntwo\n")
    expect(statSync(options.path).mode & 0o777).toBe(0o600)
  })

  it("is rotated before it is larger than it may be, and no line is lost or cut", async () => {
    const { clock, folder, log, names } = setUp()
    for (const letter of ["a", "b", "c"]) {
      fill(log, letter)
      clock.advance(1000)
    }
    log.write(Buffer.from(`${"long ".repeat(50)}\n`))
    await log.stop()
    expect(names()).toEqual([
      "audit-2023-11-14T22-13-21.000.log",
      "audit-2023-11-14T22-13-22.000.log",
      "audit-2023-11-14T22-13-23.000.log",
      "audit.log",
    ])
    const texts = names().map((name) => readFileSync(join(folder, name), "utf8"))
    expect(texts).toEqual([`${"a".repeat(79)}\n`, `${"b".repeat(79)}\n`, `${"c".repeat(79)}\n`, `${"long ".repeat(50)}\n`])
    for (const name of names()) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it("is rotated before it is larger than it may be by several servers, one after the other", async () => {
    const { clock, folder, log, names, options } = setUp()
    fill(log, "a")
    await log.stop()
    clock.advance(1000)
    for (const letter of ["b", "c"]) {
      const next = openLogFile(options)
      next.write(Buffer.from(`${letter}\n`))
      await next.stop()
    }
    expect(names()).toEqual(["audit.log"])
    const last = openLogFile(options)
    fill(last, "d")
    await last.stop()
    expect(names()).toEqual(["audit-2023-11-14T22-13-21.000.log", "audit.log"])
    const texts = names().map((name) => readFileSync(join(folder, name), "utf8"))
    expect(texts).toEqual([`${"a".repeat(79)}\nb\nc\n`, `${"d".repeat(79)}\n`])
  })

  it("keeps as many rotated files as it may, and none that is too old", async () => {
    const { clock, log, names, options } = setUp({ maxBackups: 2, maxAgeDays: 3 })
    writeFileSync(join(options.path, "../audit-notes.log"), "not ours")
    for (const letter of ["a", "b", "c", "d"]) {
      fill(log, letter)
      clock.advance(dayMs)
    }
    await log.stop()
    expect(names()).toEqual(["audit-2023-11-16T22-13-20.000.log", "audit-2023-11-17T22-13-20.000.log", "audit-notes.log", "audit.log"])
    clock.advance(2 * dayMs)
    await openLogFile(options).stop()
    expect(names()).toEqual(["audit-2023-11-17T22-13-20.000.log", "audit-notes.log", "audit.log"])
  })

  it("compresses what is rotated", async () => {
    const { clock, folder, log, names } = setUp({ compress: true })
    fill(log, "a")
    clock.advance(1000)
    fill(log, "b")
    await log.stop()
    expect(names()).toEqual(["audit-2023-11-14T22-13-21.000.log.gz", "audit.log"])
    const archive = join(folder, "audit-2023-11-14T22-13-21.000.log.gz")
    expect(gunzipSync(readFileSync(archive)).toString()).toBe(`${"a".repeat(79)}\n`)
    expect(statSync(archive).mode & 0o777).toBe(0o600)
  })

  it("goes on in the old file when it cannot be rotated, says so, and tries again when as much was written", async () => {
    const { faults, folder, log, names, options } = setUp()
    fill(log, "a")
    rmSync(folder, { recursive: true })
    fill(log, "b")
    log.write(Buffer.from("small\n"))
    expect(faults.length).toBe(1)
    mkdirSync(folder)
    fill(log, "c")
    await log.stop()
    expect(names()).toEqual(["audit.log"])
    expect(readFileSync(options.path, "utf8")).toBe(`${"c".repeat(79)}\n`)
    expect(faults.length).toBe(1)
  })

  it("gives a rotated file a name that no other has", () => {
    const taken = new Set(["/logs/audit-2023-11-14T22-13-20.000.log", "/logs/audit-2023-11-14T22-13-20.001.log.gz"])
    expect(backupPath("/logs/audit.log", 1_700_000_000_000, (path) => taken.has(path))).toBe("/logs/audit-2023-11-14T22-13-20.002.log")
    expect(backupPath("audit", 1_700_000_000_000, () => false)).toBe("audit-2023-11-14T22-13-20.000")
  })
})

describe("a stream", () => {
  it("writes everything before it stops, and tells how many lines an error has lost", async () => {
    const { folder } = setUp()
    const file = openSync(join(folder, "stream"), "w")
    const lost: number[] = []
    const log = new LogStream(file, (_error, lines) => void lost.push(lines))
    for (const line of ["a\n", "b\n", "c\n"]) log.write(Buffer.from(line))
    await log.stop()
    closeSync(file)
    expect(readFileSync(join(folder, "stream"), "utf8")).toBe("a\nb\nc\n")
    const full = openSync("/dev/full", "w")
    const failing = new LogStream(full, (_error, lines) => void lost.push(lines))
    failing.write(Buffer.from("a\nb\n"))
    failing.write(Buffer.from("c\n"))
    await failing.stop()
    closeSync(full)
    expect(lost).toEqual([2, 1])
  })

  it("refuses lines while too many wait", () => {
    const log = new LogStream(-1, () => undefined)
    expect(() => log.write(Buffer.alloc(auditWaitingBytesMax + 1))).toThrow(/its reader is slow: 0 bytes wait/)
  })
})
