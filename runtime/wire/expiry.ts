/** What reading and writing a request needs of an AbortSignal: making one of those costs more than reading a body does. */
export interface Expiry {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: "abort", listener: () => void): void
  removeEventListener(type: "abort", listener: () => void): void
}
