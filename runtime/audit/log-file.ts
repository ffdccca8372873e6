/** Destinations of the audit log: a rotated file, or a stream of the process. */
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, renameSync, write, writeSync } from "node:fs"
import { dirname } from "node:path"
import type { Clock } from "../base/clock.ts"
import { makeFolder } from "../base/make-folder.ts"
import { auditWaitingBytesMax } from "./limits.ts"
import { backupPath, tidyBackups } from "./log-backups.ts"

/** A place for lines. */
export interface LogTarget {
  /** Writes whole lines. Throws when they could not be written; the log then has none of them. */
  write(lines: Buffer | string): void
  /** Resolves when all lines are written. */
  stop(): Promise<void>
}

export interface LogFileOptions {
  readonly path: string
  readonly clock: Clock
  /** Rotates the file before it would become larger. */
  readonly bytesMax: number
  /** Days that rotated files are kept, and how many; 0: all. */
  readonly maxAgeDays: number
  readonly maxBackups: number
  readonly compress: boolean
  /** Called with errors in tidying rotated files; events are not affected. */
  readonly report: (fault: unknown) => void
}

/** Readable and writable by its owner only: events may contain the content of objects. */
const fileMode = 0o600

/** Opens the file for appending. Throws the error of the file system. */
export function openLogFile(options: LogFileOptions): LogTarget {
  makeFolder(dirname(options.path))
  return new LogFile(options)
}

class LogFile implements LogTarget {
  private file: number
  /** Bytes of whole lines. */
  private size: number
  /** Exceeds `bytesMax` after a failed rotation. */
  private rotateAt: number
  private tidying: Promise<void>

  constructor(private readonly options: LogFileOptions) {
    this.file = openSync(options.path, "a", fileMode)
    this.size = fstatSync(this.file).size
    this.rotateAt = options.bytesMax
    this.tidying = this.tidy()
  }

  write(lines: Buffer | string): void {
    const bytes = Buffer.byteLength(lines)
    if (this.size > 0 && this.size + bytes > this.rotateAt) this.tryToRotate()
    try {
      const written = typeof lines === "string" ? writeSync(this.file, lines) : writeSync(this.file, lines, 0)
      if (written < bytes) this.writeRest(Buffer.from(lines), written)
    } catch (error) {
      this.dropPart()
      throw error
    }
    this.size += bytes
  }

  private writeRest(lines: Buffer, from: number): void {
    for (let next = from; next < lines.length; ) next += writeSync(this.file, lines, next)
  }

  /** Removes a partial line that a full disk has left, so that the next line is not appended to it. */
  private dropPart(): void {
    try {
      ftruncateSync(this.file, this.size)
    } catch {
      // Not a regular file, or the disk fails altogether. The error of the write itself is reported.
    }
  }

  /** If there is no new file, events go on to the old one. */
  private tryToRotate(): void {
    const { bytesMax, report } = this.options
    try {
      this.rotate()
      this.rotateAt = bytesMax
    } catch (fault) {
      this.rotateAt = this.size + bytesMax
      report(fault)
    }
  }

  private rotate(): void {
    const { path, clock } = this.options
    const backup = backupPath(path, clock.nowMs(), existsSync)
    if (existsSync(path)) renameSync(path, backup)
    const next = openSync(path, "a", fileMode)
    closeSync(this.file)
    this.file = next
    this.size = fstatSync(next).size
    this.tidying = this.tidying.then(() => this.tidy())
  }

  private async tidy(): Promise<void> {
    const { path, clock, maxAgeDays, maxBackups, compress, report } = this.options
    if (maxAgeDays === 0 && maxBackups === 0 && !compress) return
    await tidyBackups(path, { nowMs: clock.nowMs(), maxAgeDays, maxBackups, compress }).catch(report)
  }

  async stop(): Promise<void> {
    closeSync(this.file)
    await this.tidying
  }
}

/**
 * Lines for a pipe or a terminal, whose reader may be slow. They wait in memory, up to `auditWaitingBytesMax`, without
 * blocking the server.
 */
export class LogStream implements LogTarget {
  private waiting: Buffer[] = []
  private waitingBytes = 0
  private isWriting = false
  private whenIdle: (() => void) | undefined

  /** `lost`: called with an error after which all waiting lines are gone. */
  constructor(
    private readonly descriptor: number,
    private readonly lost: (error: Error, lines: number) => void,
  ) {}

  write(text: Buffer | string): void {
    const lines = Buffer.from(text)
    if (this.waitingBytes + lines.length > auditWaitingBytesMax) throw new Error(`its reader is slow: ${this.waitingBytes} bytes wait`)
    this.waiting.push(lines)
    this.waitingBytes += lines.length
    this.next()
  }

  stop(): Promise<void> {
    return this.isWriting ? new Promise((resolve) => (this.whenIdle = resolve)) : Promise.resolve()
  }

  private next(): void {
    if (this.isWriting) return
    if (this.waiting.length === 0) return this.whenIdle?.()
    this.isWriting = true
    const lines = Buffer.concat(this.waiting)
    this.waiting = []
    this.put(lines, 0)
  }

  private put(lines: Buffer, from: number): void {
    write(this.descriptor, lines, from, (error, written) => {
      if (error !== null && "code" in error && error.code === "EAGAIN") return void setImmediate(() => this.put(lines, from))
      const done = from + written
      if (error === null && done < lines.length) return this.put(lines, done)
      this.isWriting = false
      this.waitingBytes -= lines.length
      if (error !== null) this.lost(error, lines.subarray(from).toString("latin1").split("\n").length - 1)
      this.next()
    })
  }
}
