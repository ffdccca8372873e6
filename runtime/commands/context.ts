/** What commands need of their surroundings; tests hand in their own. */
import { readFileSync } from "node:fs"
import { loadOptions, type LoadedOptions } from "../options/load.ts"

export interface CommandContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Answers the exit code: 0 done, 1 it went wrong, 2 wrong use. May throw OptionError and StartError, whose messages are shown. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>

/** The process's own surroundings. */
export function processContext(): CommandContext {
  return {
    cwd: process.cwd(),
    env: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    now: () => performance.now(),
  }
}

/** The options of a command from its arguments, the environment and a configuration file. Throws OptionError. */
export function optionsOf(args: readonly string[], context: CommandContext): LoadedOptions {
  return loadOptions({ args, env: context.env, readFile: (path) => readFileSync(path, "utf8") })
}
