/**
 * The parts of an AbortSignal that reading and writing a request use. Creating an AbortSignal costs more than reading a
 * body.
 */
export interface DeadlineSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: "abort", listener: () => void): void
  removeEventListener(type: "abort", listener: () => void): void
}
