/** Limits of audit. Those that are options have their defaults in `options/audit-options.ts`. */

/** Characters of `User-Agent` in an event; the reference's number. */
export const auditedAgentCharactersMax = 1024

/** Addresses in `sourceIPs` besides the last one; clients write them into `X-Forwarded-For`. */
export const forwardedAddressesMax = 100

/** Annotations of one event, and characters of one value: admission may add any number. */
export const auditAnnotationsMax = 256
export const auditAnnotationCharactersMax = 10_000

/** Bytes of events that wait to be written or sent; further events are dropped and counted. */
export const auditWaitingBytesMax = 64 * 1024 * 1024

/** Bytes of lines that are gathered before the end of a turn of the event loop; more are written at once. */
export const auditGatheredBytesMax = 1024 * 1024

/** Milliseconds that a stop waits for events to be written and sent. */
export const auditDrainTimeoutMs = 30_000

/** Bytes of one call to the webhook; a larger batch is split. One event may be larger. */
export const auditCallBytesMax = 16 * 1024 * 1024

/** Calls to the webhook at a time. */
export const auditCallsMax = 16

/** Attempts to send a batch, the factor by which the wait grows, and its random part; the reference's numbers. */
export const auditAttemptsMax = 5
export const auditBackoffFactor = 1.5
export const auditBackoffJitter = 0.2

/** Megabytes after which the log is rotated if `--audit-log-maxsize` is 0. */
export const auditLogMegabytes = 100

/** Milliseconds after which the events of a request include its latencies. */
export const auditLatencyMs = 500
