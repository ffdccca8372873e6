/**
 * Runs other programs in tests, to their end or while watching their output. Nothing here blocks, because the test's
 * own process serves meanwhile.
 */
import { type ChildProcess, spawn } from "node:child_process"

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd?: string
  /** Added to the test's own environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Resolves when the program has ended, whatever its exit code; rejects when it could not be started. */
export function runCommand(program: string, args: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = start(program, args, options)
    const heard = { stdout: "", stderr: "" }
    child.stdout?.on("data", (chunk: string) => (heard.stdout += chunk))
    child.stderr?.on("data", (chunk: string) => (heard.stderr += chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, ...heard }))
    // A program that ends before it has read all input reports that by its exit code.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(options.input ?? "")
  })
}

export interface RunningCommand {
  readonly pid: number
  /**
   * Resolves with the whole output as soon as `found` returns true for it. Rejects, with the output so far, when the
   * program ends before.
   */
  until(found: (stdout: string) => boolean): Promise<string>
  /** Ends the program and resolves when it has exited. A second call waits for the first. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/** For programs that run until they are stopped. */
export function startCommand(program: string, args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = start(program, args, options)
  const output = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  const wake = (): void => waiting.forEach((check) => check())
  let ended = false
  child.stdout?.on("data", (chunk: string) => {
    output.stdout += chunk
    wake()
  })
  child.stderr?.on("data", (chunk: string) => (output.stderr += chunk))
  const gone = new Promise<void>((resolve) => {
    const onEnd = (): void => {
      ended = true
      wake()
      resolve()
    }
    child.on("close", onEnd)
    child.on("error", onEnd)
  })
  return {
    pid: child.pid ?? 0,
    until: (found) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!found(output.stdout) && !ended) return
          waiting.delete(check)
          if (found(output.stdout)) resolve(output.stdout)
          else reject(new Error(`${program} ended before that was seen. It wrote:\n${output.stdout}${output.stderr}`))
        }
        waiting.add(check)
        check()
      }),
    end: (signal) => {
      if (!ended) child.kill(signal)
      return gone
    },
  }
}

function start(program: string, args: readonly string[], { cwd, env }: CommandOptions): ChildProcess {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] })
  child.stdout.setEncoding("utf8")
  child.stderr.setEncoding("utf8")
  return child
}
