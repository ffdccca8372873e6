/** Reports of filters and verbs about a request that is audited. `audit/trail.ts` implements it. */
import type { ApiObject, JsonObject } from "../../base/json.ts"

export interface RequestAudit {
  /**
   * Called once the user is known, before any other work for the request: makes its first event. Throws 500, or rejects
   * with it, when a strict backend cannot store the event. Removes the audit from a request that is not recorded.
   */
  authenticated(): undefined | Promise<undefined>
  /** The policy records the request's object. */
  readonly keepsRequest: boolean
  /** The policy records the object of the answer. */
  readonly keepsResponse: boolean
  /** `metadata.managedFields` of objects is left out. */
  readonly omitsManagedFields: boolean
  /**
   * Called with each decoded body, before anything changes it. `isTyped`: its kind is a built-in one, whose form has
   * every field that the reference always writes.
   */
  sent(object: ApiObject, isTyped: boolean): void
  /** Called instead of `sent` for a body that is not an object of the API, such as a patch: valid JSON. */
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
