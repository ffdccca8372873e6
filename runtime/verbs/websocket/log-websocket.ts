/**
 * Logs over websockets, for browsers: every piece of the log is a message, binary or, for those who ask by the protocol, base64 in text. The
 * protocols are those of the reference's streams; what the client sends is passed over.
 */
import type { IncomingMessage } from "node:http"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createWebSocketStream } from "ws"
import { badRequest } from "../../base/errors.ts"
import { offeredProtocols } from "../../wire/websocket-protocols.ts"
import type { ResourceRequest } from "../call.ts"
import { acceptWebSocket, checkWebSocket } from "./websocket.ts"

const binaryProtocol = "binary.orch.io"
const base64Protocol = "base64.binary.orch.io"

/** Whether the log is to go over a websocket. Called before the agent is asked. Throws 400 for a handshake that cannot be answered. */
export function checkLogWebSocket(call: ResourceRequest): boolean {
  if (!checkWebSocket(call)) return false
  const { vendor } = call.parts
  const known = [binaryProtocol, base64Protocol].map((protocol) => vendor.group(protocol))
  const { names } = offeredProtocols(call.incoming.headers, vendor)
  if (!names.every((name) => known.includes(name)))
    throw badRequest(`Sec-WebSocket-Protocol: a log comes as ${known.join(" or ")}, or without a protocol`)
  return true
}

/** Passes the agent's answer on, at the client's pace. Resolves when all of it was sent; rejects when one of the two connections broke. */
export async function passLogToWebSocket(call: ResourceRequest, message: IncomingMessage): Promise<void> {
  const { websocket } = acceptWebSocket(call)
  const client = createWebSocketStream(websocket, { decodeStrings: false })
  client.resume()
  const steps = websocket.protocol === call.parts.vendor.group(base64Protocol) ? [base64Pieces()] : []
  try {
    // The stream would end without a close code.
    await pipeline([message, ...steps, client], { end: false })
    websocket.close(1000)
  } catch (error) {
    websocket.terminate()
    throw error
  }
}

/** Every piece by itself, as a text. */
function base64Pieces(): Transform {
  return new Transform({
    readableObjectMode: true,
    transform: (piece: Buffer, _encoding, done) => done(null, piece.toString("base64")),
  })
}
