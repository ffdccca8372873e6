/** Logs an uncaught error in the log's own format before the process ends. */
import type { Logger } from "pino"

/** The exit code after a bug in this program; the same as node's own. */
export const crashExitCode = 1

/**
 * Called once by a program that serves. Unhandled promise rejections are logged too. The log writes synchronously, so
 * nothing is lost.
 */
export function endOnCrash(log: Pick<Logger, "fatal">): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    try {
      log.fatal({ err: error instanceof Error ? error : new Error(String(error)), origin }, "the server ends: a fault of the program")
    } finally {
      process.exit(crashExitCode)
    }
  })
}
