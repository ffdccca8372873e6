/** How long a stopping server waits, in milliseconds. */

/**
 * For a client that makes no progress: it reads nothing of its answer, or sends nothing of its body. Clients that make
 * progress have until `--request-timeout`, and unauthenticated clients get no time.
 */
export const stopStallMs = 3000

/** Between two looks at the parent of a program that npm runs. */
export const parentCheckMs = 500

/** Between two looks at the clients that are left. */
export const stopCheckMs = 200

/** After a second signal, for each of two steps: requests that were cut, and audit events that wait to be stored. */
export const hurriedStepMs = 1000

/** For everything after a second signal. Work that is left then ends with the process, by SIGKILL. */
export const hurriedEndMs = 5000

/** For the store and the process itself, after the last client and the last audit event. Then SIGKILL. */
export const endAfterDrainMs = 10_000

/** For a start that a signal interrupts. The process then ends without it. */
export const interruptedStartMs = 10_000

/** For the transaction of a store's thread, when the process exits. Then SIGKILL. */
export const workerEndMs = 5000
