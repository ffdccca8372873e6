/**
 * One error in the content of a request. Validators collect failures; the response is a Status 422 whose
 * `details.causes` hold reason, field and message.
 */
import { expectedObjectsMax, failureCharactersMax, failuresMax } from "./limits.ts"
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
  /** As the user reads it: `spec.ports[0].port`, `metadata.labels`, `data[a.b]`. Empty: the whole object. */
  readonly field: string
  /** The invalid value; the message omits it for Required and Forbidden. Never the content of a secret. */
  readonly value?: JsonValue | undefined
  /** Text that messages show instead of the value, where the reference writes it otherwise. */
  readonly shown?: string
  /** The message says nothing of the value. */
  readonly omitValue?: true
  /** The fault and what would be valid, without field and value: `must be between 1 and 65535, inclusive`. */
  readonly detail: string
  /** NotSupported: the supported values. */
  readonly supported?: readonly string[]
}

/** A failure that holds unless an object exists. */
export interface ExpectedObject {
  readonly object: {
    /** Names are neutral. */
    readonly target: { readonly group: string; readonly version: string; readonly kind: string }
    /** Ignored for kinds without namespaces. */
    readonly namespace: string
    readonly name: string
  }
  readonly failure: Failure
}

/**
 * Collects failures during one validation. `failuresMax` and `failureCharactersMax` keep a hostile object from
 * producing a Status larger than itself. Code that walks lists and maps stops when it is `full`, since later failures
 * would be dropped.
 */
export class Failures {
  readonly list: Failure[] = []
  private expected: ExpectedObject[] | undefined
  private characters = 0
  private ended = false

  constructor(private readonly max = failuresMax) {}

  add(failure: Failure): void {
    if (this.full) return
    this.characters += failure.field.length + failure.detail.length
    this.list.push(failure)
  }

  /** Notes a failure that depends on whether an object exists; the caller of the validation looks the object up. */
  addUnlessExists(object: ExpectedObject["object"], failure: Failure): void {
    this.expected ??= []
    if (this.expected.length < expectedObjectsMax) this.expected.push({ object, failure })
    else if (!this.full) {
      const detail = `must name at most ${expectedObjectsMax} other objects in one write`
      this.add({ ...failure, type: "Forbidden", detail })
      this.end()
    }
  }

  /** Returns the failures that depend on other objects, once; undefined where there are none, as for most kinds. */
  takeExpected(): readonly ExpectedObject[] | undefined {
    const taken = this.expected
    this.expected = undefined
    return taken
  }

  get empty(): boolean {
    return this.list.length === 0
  }

  /** True when `add` accepts no more. */
  get full(): boolean {
    return this.ended || this.list.length >= this.max || this.characters > failureCharactersMax
  }

  /** Accepts no more failures; the ones collected so far say why validation stopped early. */
  end(): void {
    this.ended = true
  }
}
