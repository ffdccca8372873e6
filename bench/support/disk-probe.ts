/**
 * Measures how long the disk alone takes to make a write durable during another measurement. A stall here is the disk's
 * or the host's, not the server's.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { createHistogram, type Histogram } from "./histogram.ts"

export interface DiskProbe {
  /**
   * Ends it and resolves with the durations of the flushes, each from when it was due: flushes that wait behind a
   * stalled one count too.
   */
  stop(): Promise<Histogram>
}

/** Bytes that a commit of one small object writes. */
const bytes = 12 * 1024
/** Blocks that are written in advance, so that no flush waits for the file system to extend the file. */
const places = 512

/**
 * Called before the measurement begins: writes and flushes `perSecond` times a second, in a file beside the stores of
 * `startServerProcess`.
 */
export function startDiskProbe(perSecond: number): DiskProbe {
  const folder = mkdtempSync(join(tmpdir(), "bench-disk-"))
  const flushes = createHistogram()
  let stopped = false
  const running = run()

  async function run(): Promise<void> {
    const file = await open(join(folder, "probe"), "w")
    try {
      await file.write(Buffer.alloc(bytes * places))
      await file.sync()
      const chunk = Buffer.alloc(bytes, 1)
      const started = performance.now()
      for (let turn = 0; !stopped; turn++) {
        const due = started + (turn * 1000) / perSecond
        if (due > performance.now()) await setTimeout(due - performance.now())
        await file.write(chunk, 0, bytes, (turn % places) * bytes)
        await file.datasync()
        flushes.record(performance.now() - due)
      }
    } finally {
      await file.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return {
    async stop() {
      stopped = true
      await running
      return flushes
    },
  }
}
