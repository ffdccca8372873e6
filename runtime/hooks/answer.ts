/** Reads the answer of a web hook. */
import type { IncomingMessage } from "node:http"
import type { JsonValue } from "../base/json.ts"
import { JsonSyntaxError, parsingJson } from "../encoding/json/text.ts"
import { atOnce, inTurns, takesTurns } from "../base/turns.ts"
import { HookError, refusedCall } from "./hook-error.ts"
import { hookAnswerBytesMax } from "./limits.ts"

/**
 * Resolves with the document of an answer. Rejects with HookError for a status other than 2xx, an empty body, one of
 * more than `hookAnswerBytesMax`, and one that is not JSON; its media type does not matter, as in the reference.
 */
export async function reviewOf(answer: IncomingMessage): Promise<JsonValue> {
  const status = answer.statusCode ?? 0
  const body = await bodyOf(answer)
  if (status < 200 || status > 299) throw refusal(answer, status, body)
  if (body.length === 0) {
    const type = answer.headers["content-type"] ?? "application/json"
    throw new HookError(`0-length response with status code: ${status} and content type: ${type}`)
  }
  try {
    const parsing = parsingJson(body.toString("utf8"))
    const { value } = takesTurns(body.length) ? await inTurns(parsing) : atOnce(parsing)
    return value
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new HookError(`couldn't get version/kind; json parse error: ${error.message}`)
    throw error
  }
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of answer) {
    pieces.push(piece)
    length += piece.length
    if (length > hookAnswerBytesMax) throw new HookError(`the response has more than ${hookAnswerBytesMax} bytes`)
  }
  return Buffer.concat(pieces, length)
}

/** A Status in the body says why; else a text does. */
function refusal(answer: IncomingMessage, status: number, body: Buffer): HookError {
  const type = answer.headers["content-type"] ?? ""
  const isText = type === "" || type.startsWith("text/")
  return statusMessage(body) ?? refusedCall(status, isText ? body.toString("utf8").trim() : "unknown")
}

function statusMessage(body: Buffer): HookError | undefined {
  if (body.length === 0 || takesTurns(body.length)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString("utf8"))
    if (typeof value !== "object" || value === null || !("kind" in value) || value.kind !== "Status" || !("message" in value))
      return undefined
    return typeof value.message === "string" && value.message !== "" ? new HookError(value.message) : undefined
  } catch {
    return undefined
  }
}
