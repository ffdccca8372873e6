/**
 * Answers that are made of bytes which others have waiting as well: watches, of which thousands are sent the same
 * frames.
 */

const shared = new WeakSet<object>()

/**
 * Called with an answer before its first byte: what waits of it is counted once for all that have it waiting
 * (`kept-bytes.ts`).
 */
export function shareBytes(outgoing: object): void {
  shared.add(outgoing)
}

/** Whether `shareBytes` was called with it. */
export function sharesBytes(outgoing: object): boolean {
  return shared.has(outgoing)
}
