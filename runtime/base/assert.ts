/** Called where a false condition is a bug in this program, never for invalid input. Throws with the given values. */
export function assert(condition: unknown, message: string, values?: Record<string, unknown>): asserts condition {
  if (condition) return
  const shown =
    values === undefined ? "" : ` ${JSON.stringify(values, (_key, value) => (typeof value === "bigint" ? String(value) : value))}`
  throw new Error(`assertion failed: ${message}${shown}`)
}
