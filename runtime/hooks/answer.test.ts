import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import { acknowledged, reviewOf } from "./answer.ts"
import { HookError } from "./hook-error.ts"
import { hookAnswerBytesMax } from "./limits.ts"

/** An answer of node's HTTP client, with the fields that are read. */
function answer(statusCode: number, pieces: readonly string[], headers: Readonly<Record<string, string>> = {}): IncomingMessage {
  return Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), { statusCode, headers }) as unknown as IncomingMessage
}

async function faultOf(given: IncomingMessage, read: typeof reviewOf | typeof acknowledged = reviewOf): Promise<HookError> {
  const fault: unknown = await read(given).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(fault instanceof HookError)) throw new Error(`no HookError: ${String(fault)}`)
  return fault
}

describe("an answer", () => {
  it("is its JSON, in however many pieces it comes, whatever its media type", async () => {
    const text = JSON.stringify({
      kind: "AdmissionReview",
      response: { uid: "ü", allowed: true, list: Array.from({ length: 300 }, () => "x") },
    })
    const review: unknown = JSON.parse(text)
    expect(await reviewOf(answer(200, [text]))).toEqual(review)
    expect(await reviewOf(answer(299, text.match(/[^]{1,7}/g) ?? [], { "content-type": "text/html" }))).toEqual(review)
  })

  it("without a body is acknowledged, and no review", async () => {
    expect(await acknowledged(answer(204, []))).toBeNull()
    expect((await faultOf(answer(204, []))).message).toBe("0-length response with status code: 204 and content type: application/json")
  })

  it("that is too long or no JSON is refused, and may not be better a moment later", async () => {
    const long = await faultOf(answer(200, ["a".repeat(hookAnswerBytesMax), "b"]))
    expect([long.message, long.isTransient]).toEqual([`the response has more than ${hookAnswerBytesMax} bytes`, false])
    const broken = await faultOf(answer(200, ["{"]))
    expect([broken.message, broken.isTransient]).toEqual([expect.stringContaining("couldn't get version/kind; json parse error: "), false])
  })

  it.each<[number, Readonly<Record<string, string>>, boolean]>([
    [400, {}, false],
    [403, {}, false],
    [429, {}, true],
    [500, {}, true],
    [502, {}, false],
    [503, {}, false],
    [504, {}, true],
    [502, { "retry-after": "1" }, true],
    [503, { "retry-after": "1" }, true],
    [400, { "retry-after": "1" }, true],
    [302, {}, false],
  ])("of status %d with %j may be another one a moment later: %s", async (status, headers, isTransient) => {
    for (const read of [reviewOf, acknowledged]) {
      const fault = await faultOf(answer(status, ["no"], headers), read)
      expect([fault.isTransient, fault.logged]).toEqual([isTransient, `the web hook answers with status ${status}`])
    }
  })

  it("says why in a Status, and nothing of it is logged", async () => {
    const fault = await faultOf(answer(403, [JSON.stringify({ kind: "Status", message: "because" })]))
    expect([fault.message, fault.logged]).toEqual(["because", "the web hook answers with status 403"])
  })
})
