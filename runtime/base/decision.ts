/** `no-opinion` leaves the decision to the next authorizer. */
export type Opinion = "allow" | "deny" | "no-opinion"

/** What an authorizer, or all of them together, say of a request. */
export interface Decision {
  readonly opinion: Opinion
  /** Why. Refusals, reviews and audit events say it; "" for nothing to say. */
  readonly reason: string
  /** What kept an authorizer from deciding with all that it should know. */
  readonly error?: string
}
