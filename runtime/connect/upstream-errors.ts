/** Translates unsuccessful responses of a node agent and failed connections to API errors. */
import { ApiError, badRequest, internal, type Reason, unavailable } from "../base/errors.ts"
import { AddressError } from "./addresses.ts"
import type { Target } from "./dialer.ts"

/** The machine behind a proxy path did not respond: 503 as in the reference, or 400 for a refused address. */
export function unreachableService(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return error instanceof AddressError ? badRequest(error.message) : unavailable(`error trying to reach service: ${messageOf(error)}`)
}

/**
 * An upgraded connection to the machine behind a proxy path failed: 500 without a reason as in the reference, or 400
 * for a refused address.
 */
export function unreachableBackend(error: unknown, target: Target): ApiError {
  return error instanceof AddressError ? badRequest(error.message) : unreachableAgent(error, target)
}

/**
 * A node agent did not respond: 500 without a reason, as in the reference. A refused address is a fault of the cluster
 * here, not of the client.
 */
export function unreachableAgent(error: unknown, { host, port }: Target): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(500, "", `error dialing backend: ${host}:${port} could not be reached: ${messageOf(error)}`)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // When several addresses all fail, each has its own error and the whole has no text.
  const { errors } = error as { errors?: readonly unknown[] } // An `AggregateError` of any realm.
  return error.message === "" && errors !== undefined ? errors.map(messageOf).join("; ") : error.message
}

const reasons: Readonly<Record<number, readonly [Reason, string]>> = {
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "the server was unable to return a response in the time allotted, but may still be processing the request"],
}

/** The agent refused to return the log of pod `name`. Redirects count as refusals: they are never followed. */
export function refusedLog(status: number, text: string, name: string): ApiError {
  if (status === 400) return badRequest(text)
  if (status === 500) return internal(text)
  const [reason, message] = reasons[status] ?? otherReason(status, text)
  return new ApiError(redirected(status) ? 500 : status, reason, `${message} ( pods/log ${name})`, { name, kind: "pods/log" })
}

function redirected(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400)
}

function otherReason(status: number, text: string): readonly [Reason, string] {
  if (redirected(status)) return ["InternalError", "the node agent redirected the request, and redirects are not followed"]
  if (status === 403) return ["Forbidden", text]
  if (status > 500) return ["InternalError", `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`]
  return ["", `the server responded with the status code ${status} but did not return more information`]
}
