/** What filters and verbs report about a request that is audited. `audit/trail.ts` implements it. */
import type { ApiObject, JsonObject } from "../../base/json.ts"

export interface RequestAudit {
  /**
   * Called once the user is known, before anything is done for the request: makes its first event. Throws 500, or
   * rejects with it, when the event cannot be stored and must be. Takes the audit off a request that is not recorded.
   */
  authenticated(): undefined | Promise<undefined>
  /** The policy asks for the request's object. */
  readonly keepsRequest: boolean
  /** The policy asks for the object of the answer. */
  readonly keepsResponse: boolean
  /** `metadata.managedFields` of objects is left out. */
  readonly omitsManagedFields: boolean
  /**
   * Called with each decoded body, before anything changes it. `isTyped`: its kind is a built-in one, whose form has
   * every field that the reference always writes.
   */
  sent(object: ApiObject, isTyped: boolean): void
  /** Called instead of `sent` for a body that is no object of the API, such as a patch: valid JSON. */
  sentJson(json: string): void
  /** Called with the Status of an answer. */
  answeredStatus(code: number, status: JsonObject): void
  /** Called with the code of any other answer, and its object as compact JSON if `keepsResponse`. */
  answered(code: number, json?: Buffer): void
  /** Called instead of `answered` when the object is larger than an event may hold. */
  answeredTooLarge(code: number): void
  /** Called when the head of a long-running answer is sent. */
  started(code: number): void
  /** Called when the answer is a fault of the server. */
  panicked(): void
  /** The first value of a name counts. */
  annotate(name: string, value: string): void
}
