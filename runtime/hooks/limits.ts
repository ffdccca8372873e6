/** Limits of calls to web hooks. */

/**
 * Milliseconds that a web hook may take for one answer if its configuration names no other time; the reference's
 * number.
 */
export const hookTimeoutMs = 30_000

/** Bytes of a web hook's answer; more is an error. Converted objects are sent in batches, so one object must fit. */
export const hookAnswerBytesMax = 16 * 1024 * 1024

/** Values in a web hook's answer; more is an error. A page of 500 objects may have two thousand values each. */
export const hookAnswerValuesMax = 1_000_000

/** Characters of a web hook's refusal that become part of an error; the reference's number. */
export const hookRefusalCharactersMax = 2048

/** Connections to one web hook at a time; further calls wait for one. */
export const hookConnectionsMax = 100

/** Web hooks whose connections are kept for further calls, and milliseconds for which an idle one is kept. */
export const hooksKeptMax = 200
export const hookIdleMs = 90_000

/**
 * Bytes of a web hook's kubeconfig. A changed one is parsed in one turn: at this size in 20 ms if it consists of
 * certificates, and in half a second if it consists of short entries.
 */
export const hookFileBytesMax = 256 * 1024
