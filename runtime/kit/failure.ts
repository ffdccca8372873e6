/**
 * One fault found in a request's content. Validators push these; the wire turns a list of them into a Status 422
 * whose `details.causes` carry reason, field and message.
 */
import { failureCharactersMax, failuresMax } from "../limits.ts"
import type { JsonValue } from "./json.ts"

/** The cause reasons of the API, without their `FieldValue` prefix. */
export type FailureType =
  | "Required"
  | "Invalid"
  | "NotSupported"
  | "TooLong"
  | "TooMany"
  | "Duplicate"
  | "Forbidden"
  | "NotFound"
  | "TypeInvalid"
  | "InternalError"

export interface Failure {
  readonly type: FailureType
  /** As shown to the user: `spec.ports[0].port`, `metadata.labels`, `data[a.b]`. Empty: the whole object. */
  readonly field: string
  /** The value found; left out of the text for Required and Forbidden. Never a secret's content. */
  readonly value?: JsonValue | undefined
  /** What is wrong and what would be right, without field and value: `must be between 1 and 65535, inclusive`. */
  readonly detail: string
  /** NotSupported: the words that are. */
  readonly supported?: readonly string[]
}

/**
 * Collects failures during one validation; `failuresMax` and `failureCharactersMax` stop a hostile object from producing a Status larger than itself.
 * Whoever walks lists and maps stops when it is `full`: nothing that is found later would be told.
 */
export class Failures {
  readonly list: Failure[] = []
  private characters = 0
  private ended = false

  constructor(private readonly max = failuresMax) {}

  add(failure: Failure): void {
    if (this.full) return
    this.characters += failure.field.length + failure.detail.length
    this.list.push(failure)
  }

  get empty(): boolean {
    return this.list.length === 0
  }

  /** True when `add` takes no more. */
  get full(): boolean {
    return this.ended || this.list.length >= this.max || this.characters > failureCharactersMax
  }

  /** No more are taken: what is there says why the object was not judged to its end. */
  end(): void {
    this.ended = true
  }
}
