import { Readable } from "node:stream"
import { describe, expect, it } from "vitest"
import { ApiError } from "../base/errors.ts"
import { readBody, type RequestStream } from "./read-body.ts"

function request(chunks: readonly string[], headers: Record<string, string> = {}): RequestStream & Readable {
  return Object.assign(
    Readable.from(
      chunks.map((chunk) => Buffer.from(chunk)),
      { objectMode: false },
    ),
    { headers },
  )
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.code : error),
  )

describe("readBody", () => {
  it("returns the bytes of any number of chunks", async () => {
    expect((await readBody({ request: request([]) })).toString()).toBe("")
    expect((await readBody({ request: request(["ab"]) })).toString()).toBe("ab")
    expect(
      (await readBody({ request: request(["ab", "cd", "e"], { "content-length": "5", "content-encoding": "identity" }) })).toString(),
    ).toBe("abcde")
  })

  it("stops at the limit, without reading when the length is known", async () => {
    const announced = request(["abcd"], { "content-length": "4" })
    expect(await codeOf(readBody({ request: announced, limit: 3 }))).toBe(413)
    expect(announced.readableFlowing).toBeNull()
    expect(await codeOf(readBody({ request: request(["ab", "cd"]), limit: 3 }))).toBe(413)
    expect(await codeOf(readBody({ request: request(["ab", "cd"]), limit: 4 }))).toBe(200)
  })

  it("refuses encodings and incomplete bodies", async () => {
    expect(await codeOf(readBody({ request: request(["\u001f\ufffd"], { "content-encoding": "gzip" }) }))).toBe(400)
    expect(await codeOf(readBody({ request: request(["{}"], { "content-encoding": "gzip" }) }))).toBe(200)
    expect(await codeOf(readBody({ request: request(["ab"], { "content-length": "5" }) }))).toBe(400)
    const broken = Object.assign(new Readable({ read: () => undefined }), { headers: {} })
    const reading = codeOf(readBody({ request: broken }))
    broken.destroy()
    expect(await reading).toBe(400)
  })

  it("rejects with the reason of its signal", async () => {
    const controller = new AbortController()
    const silent = Object.assign(new Readable({ read: () => undefined }), { headers: {} })
    const reading = codeOf(readBody({ request: silent, signal: controller.signal }))
    controller.abort(new ApiError(504, "Timeout", "too slow"))
    expect(await reading).toBe(504)
    expect(await codeOf(readBody({ request: silent, signal: AbortSignal.abort() }))).toBe(400)
  })
})
