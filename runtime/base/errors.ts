/**
 * The errors of the API and all their texts: one closed set of reasons, one place for messages. Verbs, registry,
 * behaviours and filters throw them; `app.ts` turns them into a Status. Messages follow recorded answers of the
 * reference server.
 */
import type { Failure } from "./failure.ts"
import { shortJson, shortTexts } from "./bounded-text.ts"
import type { JsonValue } from "./json.ts"
import { cut, quoted } from "./quote.ts"
import { shownValueCharactersMax } from "./limits.ts"

/** `reason` of a Status: a closed set, because clients branch on it. */
export type Reason =
  | "BadRequest"
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Expired"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "Invalid"
  | "TooManyRequests"
  | "InternalError"
  | "ServerTimeout"
  | "Timeout"
  | "ServiceUnavailable"
  | ""

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The resource (plural) or, for Invalid, the kind. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** An error that ends a request with a Status failure. Groups in `details` are neutral. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly reason: Reason,
    message: string,
    readonly details?: StatusDetails,
    /** `metadata.continue` of the Status: a token that continues an expired list at a newer revision. */
    readonly continueToken?: string,
  ) {
    const { stackTraceLimit } = Error
    // The client's fault: its stack is not logged, and capturing one was most of the cost of a refusal.
    if (code < 500) Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = "ApiError"
  }
}

/** A 500 that a client over HTTP gets as plain text, as from the reference where it fails before a handler. */
export class UnhandledError extends ApiError {
  constructor(readonly why: string) {
    super(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] })
    this.name = "UnhandledError"
  }
}

/** The resource, and the object if there is one, that an error is about. */
export interface ObjectRef {
  readonly group: string
  /** Plural resource; for `invalid` the kind. */
  readonly resource: string
  readonly name?: string
}

function qualified(subject: ObjectRef): string {
  return subject.group === "" ? subject.resource : `${subject.resource}.${subject.group}`
}

function details(subject: ObjectRef, more: StatusDetails = {}): StatusDetails {
  return {
    ...(subject.name !== undefined && subject.name !== "" && { name: subject.name }),
    ...(subject.group !== "" && { group: subject.group }),
    ...(subject.resource !== "" && { kind: subject.resource }),
    ...more,
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, "BadRequest", message)
/** For a body that names another object than the path of its sub-resource. `kind`: the body's kind. */
export const otherName = (kind: string, sent: string, ofPath: string): ApiError =>
  badRequest(`name in URL does not match name in ${kind} object: ${quoted(cut(sent))} in the body, ${quoted(cut(ofPath))} in the path`)
export const unauthorized = (): ApiError => new ApiError(401, "Unauthorized", "Unauthorized")
export const forbidden = (subject: ObjectRef, why: string, more?: StatusDetails): ApiError =>
  new ApiError(403, "Forbidden", `${qualified(subject)} ${quoted(subject.name ?? "")} is forbidden: ${why}`, details(subject, more))
export const notFound = (subject: ObjectRef): ApiError =>
  new ApiError(404, "NotFound", `${qualified(subject)} ${quoted(subject.name ?? "")} not found`, details(subject))
/** No such path, group, version or resource. */
/** `why` goes on after the reference's text, for a path that options would add. */
export const unknownPath = (why = ""): ApiError =>
  new ApiError(404, "NotFound", `the server could not find the requested resource${why === "" ? "" : `; ${why}`}`, {})
export const methodNotAllowed = (why = "the server does not allow this method on the requested resource"): ApiError =>
  new ApiError(405, "MethodNotAllowed", why, {})
export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`)
export const alreadyExists = (subject: ObjectRef): ApiError =>
  new ApiError(409, "AlreadyExists", `${qualified(subject)} ${quoted(subject.name ?? "")} already exists`, details(subject))
/** 409 for an object with a `generateName`, even if its own name was taken. As in the reference, clients may retry. */
export function generatedNameExists(subject: ObjectRef): ApiError {
  const { code, reason, message, details: about } = alreadyExists(subject)
  const text = `${message}, the server was not able to generate a unique name for the object`
  return new ApiError(code, reason, text, { ...about, retryAfterSeconds: 1 })
}
export const conflict = (subject: ObjectRef, why: string): ApiError =>
  new ApiError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(subject)} ${quoted(subject.name ?? "")}: ${why}`,
    details(subject),
  )
export const staleVersion = (subject: ObjectRef): ApiError =>
  conflict(subject, "the object has been modified; please apply your changes to the latest version and try again")
export const expired = (message: string, continueToken?: string): ApiError =>
  new ApiError(410, "Expired", message, undefined, continueToken)
export const tooLarge = (message: string): ApiError => new ApiError(413, "RequestEntityTooLarge", message)
export const unsupportedMediaType = (accepted: readonly string[], details?: StatusDetails): ApiError =>
  new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    details,
  )
export const internal = (message: string): ApiError =>
  new ApiError(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] })
export const timeout = (message: string, retryAfterSeconds: number, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds, ...(causes !== undefined && { causes }) })
/** The 409 `exists` for a creation while finalizers or a grace period keep a deleted object of that name. */
export const stillDeleted = ({ code, reason, message, details: about }: ApiError): ApiError =>
  new ApiError(code, reason, `object is being deleted: ${message}`, about)
/** 504 for a write with an unknown outcome. Without `Retry-After`, because client libraries would repeat the write. */
export const undecided = (why: string): ApiError =>
  new ApiError(504, "Timeout", `the write may or may not have happened: ${why}; read the object before you repeat it`, {})
/** 429. `retryAfterSeconds` 0: the client decides when to try again. */
export const tooManyRequests = (message: string, retryAfterSeconds: number, causes?: readonly StatusCause[]): ApiError =>
  new ApiError(429, "TooManyRequests", message, {
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
    ...(causes !== undefined && { causes }),
  })
/** 503. `retryAfterSeconds` 0: the client decides when to try again. */
export const unavailable = (message: string, retryAfterSeconds = 0): ApiError =>
  new ApiError(503, "ServiceUnavailable", message, retryAfterSeconds > 0 ? { retryAfterSeconds } : undefined)
/** For a kind that is not known while the kinds of definitions are still being read; later it is unknown. */
export const notYetServed = (): ApiError =>
  unavailable("the request has been made before all known HTTP paths have been installed, please retry", 1)
/** 504 for a resource version that is newer than the store's revision; specification section 4.6. */
export const tooLargeResourceVersion = (asked: number, current: number): ApiError =>
  timeout(`Too large resource version: ${asked}, current: ${current}`, 1, [
    { reason: "ResourceVersionTooLarge", message: "Too large resource version" },
  ])

/** 422 with one cause per failure. `subject.resource` is the kind here, as clients expect. */
export function invalid(subject: ObjectRef, failures: readonly Failure[]): ApiError {
  const causes = failures.map((failure) => ({ reason: causeReason(failure), message: failureText(failure), field: failure.field }))
  return new ApiError(
    422,
    "Invalid",
    `${qualified(subject)} ${quoted(subject.name ?? "")} is invalid: ${causesText(causes)}`,
    details(subject, { causes }),
  )
}

/** Several failures in one text: `[spec.a: Required value, spec.b: ...]`. */
export function failuresText(failures: readonly Failure[]): string {
  return causesText(failures.map((failure) => ({ message: failureText(failure), field: failure.field })))
}

function causesText(causes: readonly { readonly message: string; readonly field: string }[]): string {
  const lines = causes.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`))
  // The reference's checks overlap: the message says each text once, though each failure has its cause.
  const said = [...new Set(lines)]
  return said.length === 1 ? (said[0] ?? "") : `[${said.join(", ")}]`
}

function causeReason(failure: Failure): string {
  return failure.type === "InternalError" ? "InternalError" : `FieldValue${failure.type}`
}

const typeTexts: Record<Failure["type"], string> = {
  Required: "Required value",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  TooLong: "Too long",
  TooMany: "Too many",
  Duplicate: "Duplicate value",
  Forbidden: "Forbidden",
  NotFound: "Not found",
  TypeInvalid: "Invalid value",
  InternalError: "Internal error",
}

/** The text of a conflict when the object fails a precondition of the client. */
export function preconditionText(what: "UID" | "ResourceVersion", asked: string, found: string): string {
  return `Precondition failed: ${what} in precondition: ${cut(asked)}, ${what} in object meta: ${cut(found)}`
}

/** The same for writes whose precondition the reference checks in its storage. `key` is the object's in the store. */
export function storedPreconditionText(key: string, what: "UID" | "ResourceVersion", asked: string, found: string): string {
  const failure = preconditionText(what, asked, found)
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failure}`
}

/** The same for a DELETE with preconditions. */
export function deletionPreconditionText(what: "UID" | "ResourceVersion", asked: string, found: string): string {
  const why = what === "UID" ? "The object might have been deleted and then recreated" : "The object might have been modified"
  return `the ${what} in the precondition (${cut(asked)}) does not match the ${what} in record (${cut(found)}). ${why}`
}

/** `Invalid value: 70000: must be between 1 and 65535, inclusive`. */
export function failureText(failure: Failure): string {
  const head = typeTexts[failure.type]
  const withValue =
    failure.type === "Required" ||
    failure.type === "Forbidden" ||
    failure.type === "TooLong" ||
    failure.type === "InternalError" ||
    failure.omitValue
      ? head
      : `${head}: ${failure.shown ?? shown(failure.value)}`
  const detail = failure.supported === undefined ? failure.detail : `supported values: ${failure.supported.map(quoted).join(", ")}`
  return detail === "" ? withValue : `${withValue}: ${detail}`
}

function shown(value: Failure["value"]): string {
  if (value === undefined || value === null) return '"null"'
  if (typeof value === "string") {
    return value.length > shownValueCharactersMax ? `${quoted(value.slice(0, shownValueCharactersMax))}...` : quoted(value)
  }
  if (!isTexts(value)) return shortJson(value, shownValueCharactersMax)
  return shortTexts(value, shownValueCharactersMax)
}

/** Whether a value is a list of strings. Looks at its beginning only, because no more of a long list is shown. */
function isTexts(value: JsonValue): value is string[] {
  if (!Array.isArray(value)) return false
  for (let index = 0; index < value.length && index <= shownValueCharactersMax; index++) if (typeof value[index] !== "string") return false
  return true
}
