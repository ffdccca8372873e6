/** The surroundings of a command; tests pass their own. */
import { spawn } from "node:child_process"
import { readFileText } from "../base/file-text.ts"
import { yamlFileBytesMax } from "../base/file-limits.ts"
import { loadOptions, type LoadedOptions } from "../options/load.ts"

export interface CommandContext {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** The arguments of node itself. Absent: none. */
  readonly nodeArguments?: readonly string[]
  /** Runs this program again in a child process that shares the standard streams. Absent in tests. */
  readonly rerun?: (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<ExitStatus>
}

/** How a process ended. */
export interface ExitStatus {
  readonly code: number
  /** Set when a signal ended the process. */
  readonly signal?: NodeJS.Signals
}

/**
 * Resolves with the exit code: 0 done, 1 failed, 2 wrong usage. May throw OptionError and StartError, whose messages
 * are shown.
 */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>

/** The surroundings of this process. */
export function processContext(): CommandContext {
  return {
    cwd: process.cwd(),
    env: process.env,
    print: (line) => void process.stdout.write(`${line}\n`),
    printError: (line) => void process.stderr.write(`${line}\n`),
    now: () => performance.now(),
    nodeArguments: process.execArgv,
    rerun,
  }
}

function rerun(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ExitStatus> {
  const [, main = ""] = process.argv
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, main, ...args], {
      // The channel shows the child when this process ends.
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...env },
    })
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code: code ?? 1, ...(signal !== null && { signal }) }))
  })
}

/**
 * Returns the options of a command from its arguments, the environment and a configuration file. Throws OptionError.
 */
export function optionsOf(args: readonly string[], context: CommandContext): LoadedOptions {
  return loadOptions({ args, env: context.env, readFile: (path) => readFileText(path, yamlFileBytesMax) })
}
