/**
 * Logs over websockets, for browsers. Each piece of the log is a message: binary, or base64 text if the client's
 * protocol requires that. The protocols are the same as for the reference's streams. Messages of the client are
 * ignored.
 */
import type { IncomingMessage } from "node:http"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { badRequest } from "../../base/errors.ts"
import { websocketLibrary } from "../../base/lazy-libraries.ts"
import { offeredProtocols } from "../../wire/websocket-protocols.ts"
import type { ResourceRequest } from "../call.ts"
import { acceptWebSocket, checkWebSocket } from "./websocket.ts"

const binaryProtocol = "binary.orch.io"
const base64Protocol = "base64.binary.orch.io"

/** Whether to send the log over a websocket. Called before the agent is asked. Throws 400 for an invalid handshake. */
export function checkLogWebSocket(call: ResourceRequest): boolean {
  if (!checkWebSocket(call)) return false
  const { vendor } = call.parts
  const known = [binaryProtocol, base64Protocol].map((protocol) => vendor.group(protocol))
  const { names } = offeredProtocols(call.incoming.headers, vendor)
  if (!names.every((name) => known.includes(name)))
    throw badRequest(`Sec-WebSocket-Protocol: a log comes as ${known.join(" or ")}, or without a protocol`)
  return true
}

/** Forwards the agent's response at the client's pace. Resolves when all is sent; rejects when a connection breaks. */
export async function passLogToWebSocket(call: ResourceRequest, message: IncomingMessage): Promise<void> {
  const { websocket } = acceptWebSocket(call)
  call.request.audit?.started(101)
  const client = websocketLibrary().createWebSocketStream(websocket, { decodeStrings: false })
  client.resume()
  const steps = websocket.protocol === call.parts.vendor.group(base64Protocol) ? [base64Pieces()] : []
  try {
    // Ending the stream would close the websocket without a close code.
    await pipeline([message, ...steps, client], { end: false })
    websocket.close(1000)
  } catch (error) {
    websocket.terminate()
    throw error
  }
}

/** Encodes each piece by itself, as text. */
function base64Pieces(): Transform {
  return new Transform({
    readableObjectMode: true,
    transform: (piece: Buffer, _encoding, done) => done(null, piece.toString("base64")),
  })
}
