/** Options `--audit-log-truncate-*` and `--audit-webhook-truncate-*`. */
import { type AuditEvent, sizeOf, truncated } from "./event.ts"

export interface Truncation {
  readonly eventBytesMax: number
  readonly batchBytesMax: number
}

/** The event, without its objects if it is too large; undefined if it is too large even then. */
export function fitting(event: AuditEvent, truncation: Truncation | undefined): AuditEvent | undefined {
  if (truncation === undefined || sizeOf(event) <= truncation.eventBytesMax) return event
  const shorter = truncated(event)
  return sizeOf(shorter) <= truncation.eventBytesMax ? shorter : undefined
}

/** Splits a batch into parts of at most `bytesMax` bytes. A single larger event becomes a part by itself. */
export function* inParts(events: readonly AuditEvent[], bytesMax: number): Generator<readonly AuditEvent[]> {
  let part: AuditEvent[] = []
  let bytes = 0
  for (const event of events) {
    const size = sizeOf(event)
    if (part.length > 0 && bytes + size > bytesMax) {
      yield part
      part = []
      bytes = 0
    }
    part.push(event)
    bytes += size
  }
  if (part.length > 0) yield part
}
