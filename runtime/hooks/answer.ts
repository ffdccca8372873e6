/** Reads the answer of a web hook. */
import type { IncomingMessage } from "node:http"
import { ApiError } from "../base/errors.ts"
import type { JsonValue } from "../base/json.ts"
import { JsonSyntaxError, parsingJson } from "../encoding/json/text.ts"
import { Pace } from "../base/pace.ts"
import { takesTurns } from "../base/turns.ts"
import { HookError, refusedCall } from "./hook-error.ts"
import { hookAnswerBytesMax, hookAnswerValuesMax } from "./limits.ts"

/**
 * Resolves with the JSON document of an answer. Rejects with HookError for a status other than 2xx, an empty body, more
 * than `hookAnswerBytesMax`, and a body that is not JSON; the media type does not matter, as in the reference.
 */
export async function reviewOf(answer: IncomingMessage): Promise<JsonValue> {
  const status = answer.statusCode ?? 0
  const body = await bodyOf(answer)
  if (status < 200 || status > 299) throw refusal(answer, status, body)
  if (body.length === 0) {
    const type = answer.headers["content-type"] ?? "application/json"
    throw new HookError(`0-length response with status code: ${status} and content type: ${type}`, false, {
      logged: "the web hook answers with nothing",
    })
  }
  try {
    const parsing = parsingJson(body.toString("utf8"), { maxValues: hookAnswerValuesMax })
    const { value } = await new Pace(body.length).run(parsing)
    return value
  } catch (error) {
    // The parser's error for too many values.
    if (error instanceof ApiError) throw new HookError(`the response has more than ${hookAnswerValuesMax} values`)
    if (error instanceof JsonSyntaxError)
      throw new HookError(`couldn't get version/kind; json parse error: ${error.message}`, false, {
        logged: "the web hook answers with what is no JSON",
      })
    throw error
  }
}

/** Resolves with null when the status of an answer is 2xx, whatever its body. Rejects as `reviewOf`. */
export async function acknowledged(answer: IncomingMessage): Promise<null> {
  const status = answer.statusCode ?? 0
  const body = await bodyOf(answer)
  if (status < 200 || status > 299) throw refusal(answer, status, body)
  return null
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  // Copies pieces into one buffer: a hook may send single bytes, and each piece would take a hundred bytes besides its
  // own.
  let body = Buffer.alloc(0)
  let length = 0
  // Bounded: waits for the socket, up to a limit of bytes.
  for await (const piece of answer) {
    const bytes: Buffer = piece
    if (length + bytes.length > hookAnswerBytesMax) throw new HookError(`the response has more than ${hookAnswerBytesMax} bytes`)
    if (length + bytes.length > body.length) {
      const larger = Buffer.allocUnsafe(Math.min(hookAnswerBytesMax, Math.max(2 * body.length, length + bytes.length)))
      body.copy(larger, 0, 0, length)
      body = larger
    }
    bytes.copy(body, length)
    length += bytes.length
  }
  return body.subarray(0, length)
}

/** Statuses after which the reference calls again. */
const transientStatus: ReadonlySet<number> = new Set([429, 500, 504])

/** The reason is the message of a Status in the body, otherwise the body's text. */
function refusal(answer: IncomingMessage, status: number, body: Buffer): HookError {
  const type = answer.headers["content-type"] ?? ""
  const isText = type === "" || type.startsWith("text/")
  const { message } = statusMessage(body) ?? refusedCall(status, isText ? body.toString("utf8").trim() : "unknown")
  const isTransient = transientStatus.has(status) || answer.headers["retry-after"] !== undefined
  return new HookError(message, isTransient, { logged: `the web hook answers with status ${status}` })
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
