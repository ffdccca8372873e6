/** Limits of writes that wait for others at the same object. */

/**
 * Writes that wait for their turn at an object that others are changing, of all objects together, and bytes of their
 * bodies; beyond either one gets 429. `--max-mutating-requests-inflight` allows fewer by default.
 */
export const waitingWritesMax = 2000
export const waitingWriteBytesMax = 64 * 1024 * 1024

/**
 * Milliseconds that a writer keeps its turn at such an object. Then the next one tries beside it: the first writer may
 * wait for a web hook that writes the object itself.
 */
export const writeTurnMs = 1000

/** Milliseconds that a write without a deadline, such as the server's own, tries before it gets 409. */
export const contendedWriteMsMax = 5 * 60_000
