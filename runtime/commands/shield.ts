/** For commands that read an embedded store, whose damage may end the process that touches it. */
import type { Command, CommandContext } from "./context.ts"

/** Set for the process that does the reading. */
const shieldedVariable = "ORCH_SHIELDED"

/** What touching a damaged mapping ends a process with. */
const damageSignals: readonly NodeJS.Signals[] = ["SIGBUS", "SIGSEGV", "SIGABRT", "SIGILL"]

/**
 * The store maps its file into memory: what is cut off or garbled in the wrong way ends whoever looks at it, without a word. So `command`, given with
 * the words it is called by, runs in a process of its own, and this one lives to tell. Where there is no such process (tests) it runs here.
 */
export function shielded(words: readonly string[], command: Command): Command {
  return async (args: readonly string[], context: CommandContext) => {
    if (context.rerun === undefined || context.env[shieldedVariable] !== undefined) return command(args, context)
    const { code, signal } = await context.rerun([...words, ...args], { [shieldedVariable]: "1" })
    if (signal === undefined) return code
    const isDamage = damageSignals.includes(signal)
    context.printError(
      isDamage
        ? `the store could not be read to its end: that ended the process (${signal}). Its file is damaged or cut off; restore a backup`
        : `ended by ${signal}`,
    )
    return 1
  }
}
