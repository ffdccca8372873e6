/** Waits for a condition without polling: code that changes the state raises the signal. */
export interface Signal {
  raise(): void
  /** Resolves when `condition` is true, now or after a raise. The test's own time limit ends a wait in vain. */
  until(condition: () => boolean): Promise<void>
}

/** Called once per condition that tests wait for. */
export function signal(): Signal {
  const waiting = new Set<() => void>()
  return {
    raise: () => waiting.forEach((check) => check()),
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
