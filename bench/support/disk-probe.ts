/** How long the disk alone takes to make a write durable, while something else is measured. A stall here is one of the disk, or of its host, not of the server. */
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { createHistogram, type Histogram } from "./histogram.ts"

export interface DiskProbe {
  /** Ends it and tells how long the flushes took, from when each was due: those that wait behind one that stalls count too. */
  stop(): Promise<Histogram>
}

/** What a commit of one small object writes. */
const bytes = 12 * 1024
/** Blocks that were written before, again and again: no flush waits for the file system to make the file longer. */
const places = 512

/** Called before what is measured begins: writes and flushes so many times a second, in a file beside the stores of `startServerProcess`. */
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
