/** What an HTTP/1.1 client gets for bytes that the parser cannot read as a request: no filter and no route ever sees them. */
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { ApiError, badRequest, methodNotAllowed } from "./errors.ts"
import { vendorProfile } from "./vendor.ts"
import { encodeStatus } from "./wire/send.ts"
import { failureStatus } from "./wire/status.ts"

/** As node's parser reports it. */
export interface ParserFault extends Error {
  readonly code?: string
  /** The bytes it was reading. */
  readonly rawPacket?: Buffer
}

/** Called for the server's `clientError` when no answer to an earlier request is on its way. Answers with a Status and ends the connection. */
export function answerMalformed(socket: Socket, fault: ParserFault): void {
  if (socket.writable) socket.end(answerText(malformedError(fault)))
  socket.destroySoon()
}

/** A method that nobody knows is told as such; the parser takes it for garbage. */
function malformedError(fault: ParserFault): ApiError {
  switch (fault.code) {
    case "HPE_INVALID_METHOD":
      return isRequestLine(fault.rawPacket) ? methodNotAllowed() : badRequest("the request is malformed")
    case "HPE_HEADER_OVERFLOW":
      return new ApiError(431, "RequestEntityTooLarge", "the header fields of the request are too large")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError(408, "Timeout", "the request did not arrive in time")
    default:
      return badRequest("the request is malformed")
  }
}

function isRequestLine(bytes: Buffer | undefined): boolean {
  return bytes !== undefined && /^[A-Za-z]+ \/\S* HTTP\/1\.[01]\r\n/.test(bytes.toString("latin1", 0, 4096))
}

function answerText(error: ApiError): Buffer {
  const body = encodeStatus("json", failureStatus(error, vendorProfile("orch"))) // Names no group, so every vendor's words are the same.
  const head = [
    `HTTP/1.1 ${error.code} ${STATUS_CODES[error.code] ?? ""}`,
    "Content-Type: application/json",
    "Cache-Control: no-cache, private",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ]
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body])
}
