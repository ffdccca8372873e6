/** Faults of calls to web hooks, with the texts of the reference's Go client. */
import { type LoggedOtherwise, withoutSecrets } from "../base/confidential.ts"
import { ApiError } from "../base/errors.ts"
import { cut } from "../base/quote.ts"
import { hookRefusalCharactersMax } from "./limits.ts"

/** A hook gave no usable answer. Callers put the message into their own error. */
export class HookError extends Error implements LoggedOtherwise {
  /** The hook did not answer in time. */
  readonly isTimeout: boolean
  /**
   * Without the answer's text: a user who directs the call to another machine could otherwise read its answer in the
   * log.
   */
  readonly logged: string

  /** `isTransient`: the same call may succeed a moment later. */
  constructor(
    message: string,
    readonly isTransient = false,
    { isTimeout = false, logged = message }: { readonly isTimeout?: boolean; readonly logged?: string } = {},
  ) {
    super(message)
    this.name = "HookError"
    this.isTimeout = isTimeout
    this.logged = logged
  }

  /** The same error without these texts, which the hook may have repeated. */
  without(secrets: readonly string[]): HookError {
    const message = withoutSecrets(this.message, secrets)
    if (message === this.message) return this
    return new HookError(message, this.isTransient, { isTimeout: this.isTimeout, logged: withoutSecrets(this.logged, secrets) })
  }
}

/** Address and progress of a failed call. */
export interface CallPlace {
  /** The address of the request with its query. */
  readonly url: string
  /** The address that was dialled, with its port; "" before dialling. */
  readonly dialled: string
  readonly host: string
  /** The head of the answer has arrived. */
  readonly answered: boolean
}

/** The error of a call that failed before its answer was complete. `timedOut`: the call ended by its time limit. */
export function callFailure(error: unknown, place: CallPlace, timedOut: boolean): HookError {
  if (error instanceof HookError) return error
  if (place.answered) {
    const text = timedOut ? "context deadline exceeded (Client.Timeout or context cancellation while reading body)" : "unexpected EOF"
    return new HookError(`unexpected error when reading response body. Please retry. Original error: ${text}`, false, {
      isTimeout: timedOut,
    })
  }
  const text = timedOut ? "net/http: request canceled (Client.Timeout exceeded while awaiting headers)" : faultText(error, place)
  const isTransient = !timedOut && error instanceof Error && "code" in error && error.code === "ECONNRESET"
  return new HookError(`Post ${JSON.stringify(place.url)}: ${text}`, isTransient, { isTimeout: timedOut })
}

const socketFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
])

function faultText(error: unknown, { dialled, host }: CallPlace): string {
  if (error instanceof ApiError && error.code === 404) return `service ${JSON.stringify(error.details?.name ?? "")} not found`
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const fault = socketFaults[code]
  if (fault !== undefined) return `dial tcp ${dialled}: ${fault}`
  if (code === "ENOTFOUND") return `dial tcp: lookup ${host}: no such host`
  if (unknownAuthority.has(code)) return certificateFault("certificate signed by unknown authority")
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return certificateFault("certificate has expired or is not yet valid")
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return certificateFault(message)
  if (code === "ECONNRESET" || code === "EPIPE") return message === "socket hang up" ? "EOF" : "read: connection reset by peer"
  if (code === "EPROTO") return "http: server gave HTTP response to HTTPS client"
  return code.startsWith("HPE_") ? `net/http: HTTP/1.x transport connection broken: ${message}` : message
}

function certificateFault(text: string): string {
  return `tls: failed to verify certificate: x509: ${text}`
}

const refusals: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}

/** The error of an answer with a status other than 2xx. `text`: its body if that is text, otherwise "unknown". */
export function refusedCall(status: number, text: string): HookError {
  const shown = cut(text, hookRefusalCharactersMax)
  if (status === 403 || status === 415) return new HookError(shown)
  if (status === 406)
    return new HookError(
      text === "" || text === "unknown" ? "the server was unable to respond with a content type that the client supports" : shown,
    )
  const known = refusals[status]
  if (known !== undefined) return new HookError(known, status === 429 || status === 504, { isTimeout: status === 504 })
  if (status >= 500)
    return new HookError(`an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`, status === 500)
  if (status >= 300 && status < 400)
    return new HookError(`the server responded with the status code ${status}, and redirects are not followed`)
  return new HookError(`the server responded with the status code ${status} but did not return more information`)
}
