import type { DeadlineSignal } from "./deadline-signal.ts"

/** A limit of holders at a time, first come first served. With a limit of 1 it is a mutex. */
export class Semaphore {
  private readonly waiting: (() => void)[] = []
  private free: number

  constructor(private readonly limit: number) {
    this.free = limit
  }

  /** How many hold it. */
  get held(): number {
    return this.limit - this.free
  }

  /**
   * Returns undefined when the caller holds it at once, else a promise that resolves when it does; the holder calls
   * `release` once. Throws the reason of the signal, or rejects with it. Keeps no reference to the signal of a holder.
   */
  take(signal?: DeadlineSignal): Promise<void> | undefined {
    if (signal?.aborted === true) throw signal.reason
    if (this.free > 0) {
      this.free--
      return undefined
    }
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener("abort", abandon)
        resolve()
      }
      const abandon = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        signal?.removeEventListener("abort", abandon)
        reject(signal?.reason)
      }
      signal?.addEventListener("abort", abandon)
      this.waiting.push(start)
    })
  }

  release(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.free++
    else next()
  }
}
