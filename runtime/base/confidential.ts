/** Errors whose message has what another machine said: clients may see it, logs may not. */

/** An Error with this field is logged with it, in place of its message and without its stack. */
export interface LoggedOtherwise {
  readonly logged: string
}

/** What a log says of an error: its `logged`, else its message. */
export function loggedText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return "logged" in error && typeof error.logged === "string" ? error.logged : error.message
}

/** The text without these secrets, which another machine may have repeated. Empty ones are passed over. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret === "" ? left : left.replaceAll(secret, "[redacted]")), text)
}
