/** Returns a text for any thrown value, for logs and for messages of other errors. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
