/**
 * Ends the program with the npm that runs it. npm starts a script in a shell and signals only that shell, which ends
 * without passing the signal on.
 */
import type { Clock } from "../base/clock.ts"
import { parentCheckMs } from "../base/stop-limits.ts"

export interface ParentOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called once, when the shell has ended. */
  readonly onEnd: () => void
  /** Default: the parent of the process. Tests pass others. */
  readonly parentOf?: () => number
}

/** A script that runs only this program. One with an `&` leaves it running on purpose. */
const ownScript = /^(?:'?orch-apiserver\b|node [^&]*\bscripts\/start\.mjs\b)[^&]*$/

/** Called once, by commands that run until a signal. Does nothing when npm does not run the program. */
export function followNpm({ clock, env, onEnd, parentOf = () => process.ppid }: ParentOptions): void {
  if (!ownScript.test(env["npm_lifecycle_script"] ?? "")) return
  const parent = parentOf()
  const look = (): void => {
    if (parentOf() === parent) clock.after(parentCheckMs, look)
    else onEnd()
  }
  look()
}
