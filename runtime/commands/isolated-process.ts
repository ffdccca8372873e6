/** For commands that read an embedded store: reading a damaged store may crash the process. */
import type { Command, CommandContext } from "./context.ts"

/** Set in the child process that reads the store. */
const shieldedVariable = "ORCH_SHIELDED"

/** Signals that end a process which reads a damaged mapping. */
const damageSignals: readonly NodeJS.Signals[] = ["SIGBUS", "SIGSEGV", "SIGABRT", "SIGILL"]

/**
 * The store maps its file into memory, and reading a truncated or garbled file may crash the process without a message.
 * So `command`, which is called by `words`, runs in a child process and this one reports the crash. Without child
 * processes (in tests) it runs here.
 */
export function inChildProcess(words: readonly string[], command: Command): Command {
  return async (args: readonly string[], context: CommandContext) => {
    if (context.rerun === undefined) return command(args, context)
    if (context.env[shieldedVariable] !== undefined) {
      endWithParent()
      return command(args, context)
    }
    const { code, signal } = await context.rerun([...words, ...args], { [shieldedVariable]: "1" })
    if (signal === undefined) return code
    const isDamage = damageSignals.includes(signal)
    context.printError(
      isDamage
        ? `the store could not be read to its end: reading it crashed the process (${signal}). Its file is damaged or cut off; restore a backup`
        : `ended by ${signal}`,
    )
    return 1
  }
}

/** A killed parent closes the channel; without it the child would go on and keep the store locked. */
function endWithParent(): void {
  if (process.send === undefined) return
  if (!process.connected) process.exit(1)
  process.once("disconnect", () => process.exit(1))
  // The channel alone does not keep the process alive.
  process.channel?.unref()
}
