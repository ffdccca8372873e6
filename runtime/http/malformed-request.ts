/** Answers bytes that are no request, and requests that HTTP forbids. No filter and no route sees them. */
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { type Clock, systemClock } from "../base/clock.ts"
import { ApiError, badRequest, methodNotAllowed } from "../base/errors.ts"
import type { Outgoing } from "./exchange.ts"
import { lingerMs } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { encodeStatus, sendError } from "../wire/send.ts"
import { failureStatus } from "../wire/status.ts"

/** A fault as node's parser reports it. */
export interface ParserFault extends Error {
  readonly code?: string
  /** The bytes that the parser was reading; they may contain several requests. */
  readonly rawPacket?: Buffer
  /** The number of bytes of `rawPacket` that were parsed. */
  readonly bytesParsed?: number
}

/** Any vendor would do: the messages here name no group. */
const vendor = vendorProfile("orch")

/** An unknown method has its own error here; to the parser it is garbage. */
export function malformedError(fault: ParserFault): ApiError {
  switch (fault.code) {
    case "HPE_INVALID_METHOD":
      return isRequestLine(fault) ? methodNotAllowed() : badRequest("the request is malformed")
    case "HPE_HEADER_OVERFLOW":
      return headTooLarge()
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError(408, "Timeout", "the request did not arrive in time")
    default:
      return badRequest("the request is malformed")
  }
}

/** The head exceeds `requestHeaderBytesMax` or `requestHeaderFieldsMax`. */
export function headTooLarge(): ApiError {
  return new ApiError(431, "RequestEntityTooLarge", "the header fields of the request are too large")
}

function isRequestLine({ rawPacket, bytesParsed = 0 }: ParserFault): boolean {
  if (rawPacket === undefined) return false
  const begin = rawPacket.lastIndexOf("\n", bytesParsed) + 1
  return /^[A-Za-z]+ \/\S* HTTP\/1\.[01]\r\n/.test(rawPacket.toString("latin1", begin, begin + 4096))
}

/**
 * Called for a connection without an answer under way. Answers with a Status and ends the connection, but reads on for
 * `lingerMs`: if the client is still sending, closing at once would make the system discard the answer.
 */
export function endWithError(socket: Socket, error: ApiError, clock: Clock = systemClock): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(answerText(error, clock))
  const cancel = clock.after(lingerMs, () => socket.destroy())
  socket.once("close", cancel)
}

/** The Status of the error, encoded. */
export function malformedStatus(error: ApiError): Buffer {
  return encodeStatus("json", failureStatus(error, vendor))
}

/** RFC 9110 section 10.1.1: the server does not support the expectation in `Expect`. */
export function unknownExpectation(): ApiError {
  return new ApiError(417, "", "the request expects something that is not known here; 100-continue is")
}

function answerText(error: ApiError, clock: Clock): Buffer {
  const body = malformedStatus(error)
  const head = [
    `HTTP/1.1 ${error.code} ${STATUS_CODES[error.code] ?? ""}`,
    "Content-Type: application/json",
    "Cache-Control: no-cache, private",
    `Date: ${new Date(clock.nowMs()).toUTCString()}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}

/**
 * Called instead of the application for a forbidden request. Ends an HTTP/1.1 connection, since it is uncertain where
 * the next request begins.
 */
export function refuse(outgoing: Outgoing, error: ApiError): void {
  outgoing.closeUnlessFramed()
  outgoing.setHeader("cache-control", "no-cache, private")
  sendError(outgoing, error, { vendor })
}
