/** `no-opinion` leaves the decision to the next authorizer. */
export type Opinion = "allow" | "deny" | "no-opinion"

/** The decision of an authorizer, or of all of them together, about a request. */
export interface Decision {
  readonly opinion: Opinion
  /** The reason. Refusals, reviews and audit events show it; "" if there is none. */
  readonly reason: string
  /** The fault that kept an authorizer from deciding with all that it should know. */
  readonly error?: string
}
