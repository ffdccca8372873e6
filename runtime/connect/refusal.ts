/** Answers of a node agent that are no success, and connections that did not come about, as the errors that clients know. */
import { ApiError, badRequest, internal, type Reason, unavailable } from "../errors.ts"
import { AddressError } from "./addresses.ts"
import type { Target } from "./dialer.ts"

/** Nothing came back from a machine behind a proxy path: the reference's 503, and 400 for an address that is refused. */
export function unreachableService(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return error instanceof AddressError ? badRequest(error.message) : unavailable(`error trying to reach service: ${messageOf(error)}`)
}

/** No connection for a changed protocol to a machine behind a proxy path: the reference's 500 without a reason, and 400 for an address that is refused. */
export function unreachableBackend(error: unknown, target: Target): ApiError {
  return error instanceof AddressError ? badRequest(error.message) : unreachableAgent(error, target)
}

/** Nothing came back from a node agent: the reference's 500 without a reason. A refused address is the cluster's fault here, not the client's. */
export function unreachableAgent(error: unknown, { host, port }: Target): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(500, "", `error dialing backend: ${host}:${port} could not be reached: ${messageOf(error)}`)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Several addresses that all failed have one error each and no text of their own.
  const { errors } = error as { errors?: readonly unknown[] } // `AggregateError`, of whatever realm.
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

/** The agent's refusal to give the log of pod `name`. Redirects are refusals too: they are never followed. */
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
