/** The last resort of a process that cannot end in order. */
import { writeSync } from "node:fs"

/** Ends this process with SIGKILL. Says why on standard error first, which is written at once. */
export function killProcess(why: string): void {
  try {
    writeSync(2, `orch-apiserver ends itself with SIGKILL: ${why}\n`)
  } catch {
    // Standard error is closed.
  }
  process.kill(process.pid, "SIGKILL")
  // The first process of a container cannot be killed from within.
  process.abort()
}
