/** The last words of a process: what nobody has caught is logged in the log's own format before it ends. */
import type { Logger } from "pino"

/** What a process ends with after a fault of the program; node's own number for it. */
export const crashExitCode = 1

/** Called once by a program that serves. Rejected promises that nobody looks at come here too. The log writes at once, so nothing is lost. */
export function endOnCrash(log: Pick<Logger, "fatal">): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    try {
      log.fatal({ err: error instanceof Error ? error : new Error(String(error)), origin }, "the server ends: a fault of the program")
    } finally {
      process.exit(crashExitCode)
    }
  })
}
