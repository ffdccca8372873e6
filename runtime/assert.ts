/** Called where a false condition means a fault in this program, never where input may be wrong. Throws with the values that broke it. */
export function assert(condition: unknown, message: string, values?: Record<string, unknown>): asserts condition {
  if (condition) return
  const shown =
    values === undefined ? "" : ` ${JSON.stringify(values, (_key, value) => (typeof value === "bigint" ? String(value) : value))}`
  throw new Error(`assertion failed: ${message}${shown}`)
}
