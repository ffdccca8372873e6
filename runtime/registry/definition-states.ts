/** Under which states of the definitions objects may be written. */
import type { Clock } from "../base/clock.ts"
import { staleReadTimeoutMs } from "../base/limits.ts"
import type { Check } from "../storage/store.ts"

/** By name: the key of each definition, and its revision that the table of kinds has taken up. */
export class DefinitionStates {
  private readonly states = new Map<string, Check>()
  private readonly waiting = new Map<string, Set<() => void>>()

  /** Called after the table of kinds has followed a change of an established definition. */
  note(name: string, state: Check): void {
    this.states.set(name, state)
    this.wake(name)
  }

  /** Called after the kinds of a definition have left the table. */
  forget(name: string): void {
    this.states.delete(name)
    this.wake(name)
  }

  stateOf(name: string): Check | undefined {
    return this.states.get(name)
  }

  /** Resolves with true once a definition has another state than `seen`, and with false if that takes too long. */
  async changed(name: string, seen: Check, clock: Clock): Promise<boolean> {
    if (this.states.get(name) !== seen) return true
    return new Promise((resolve) => {
      const all = this.waiting.get(name) ?? new Set()
      const settle = (isChanged: boolean): void => {
        cancel()
        all.delete(wake)
        if (all.size === 0) this.waiting.delete(name)
        resolve(isChanged)
      }
      const wake = (): void => settle(true)
      const cancel = clock.after(staleReadTimeoutMs, () => settle(false))
      this.waiting.set(name, all.add(wake))
    })
  }

  private wake(name: string): void {
    for (const wake of [...(this.waiting.get(name) ?? [])]) wake()
  }
}
