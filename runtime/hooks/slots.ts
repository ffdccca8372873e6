/** A limit of calls that run at a time; further ones wait in order. */
export class Slots {
  private readonly waiting: (() => void)[] = []
  private free: number

  constructor(limit: number) {
    this.free = limit
  }

  /** Resolves when the call may run; the caller then calls `release` once. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted()
    if (this.free > 0) {
      this.free--
      return undefined
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener("abort", abandon)
        resolve()
      }
      const abandon = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(signal.reason)
      }
      signal.addEventListener("abort", abandon, { once: true })
      this.waiting.push(start)
    })
  }

  release(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.free++
    else next()
  }
}
