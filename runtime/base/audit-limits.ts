/** Limits of recorded bodies. The other limits of audit are in `audit/limits.ts`. */
import { objectBytesMax } from "./limits.ts"

/**
 * Bytes of the object of a request or of an answer in an audit event. A larger one, which only a list can be, is left
 * out, and the event says so.
 */
export const auditedObjectBytesMax = objectBytesMax

/** Bytes of JSON that are searched for fields before other requests get a turn: about 5 ms. */
export const turnScannedBytes = 1024 * 1024
