/** Errors whose message contains text from another machine: clients may see it, logs may not. */

/** An Error with this field is logged with it, in place of its message and without its stack. */
export interface LoggedOtherwise {
  readonly logged: string
}

/** Returns the text of an error for logs: its `logged`, else its message. */
export function loggedText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return "logged" in error && typeof error.logged === "string" ? error.logged : error.message
}

/** The text without these secrets, which another machine may have repeated. Skips empty secrets. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === "" ? left : left.replaceAll(secret, "[redacted]")), text)
}
