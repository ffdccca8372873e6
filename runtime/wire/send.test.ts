import { createServer, get, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { afterEach, describe, expect, it } from "vitest"
import { ApiError, notFound } from "../base/errors.ts"
import { http1Classes, type Http1Outgoing } from "../http/http1-exchange.ts"
import { gzipThresholdBytes } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { encodeStatus, sendBytes, sendError, warningHeaders } from "./send.ts"
import { failureStatus } from "./status.ts"

const vendor = vendorProfile("kubernetes")
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Sends one request to a server that responds with `answering`. */
function ask(answering: (outgoing: Http1Outgoing) => unknown): Promise<{ response: IncomingMessage; body: Buffer }> {
  const server = createServer(http1Classes, (_request, response) => void answering(response))
  closers.push(() => server.close())
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }, (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => resolve({ response, body: Buffer.concat(chunks) }))
      }).on("error", reject)
    })
  })
}

const missing = notFound({ group: "", resource: "configmaps", name: "none" })

describe("sendBytes", () => {
  it("sends headers, warnings and bytes, compressed above the threshold", async () => {
    for (const [length, encoding] of [
      [gzipThresholdBytes - 1, undefined],
      [gzipThresholdBytes, "gzip"],
    ] as const) {
      const { response, body } = await ask((outgoing) =>
        sendBytes(outgoing, { status: 201, contentType: "text/x", body: Buffer.alloc(length, 65), gzip: true, warnings: ['a "b"', "c"] }),
      )
      expect(response.statusCode).toBe(201)
      expect(response.headers).toMatchObject({
        "content-type": "text/x",
        "content-length": String(body.length),
        warning: '299 - "a \\"b\\"", 299 - "c"',
      })
      expect(response.headers["content-encoding"]).toBe(encoding)
      expect((encoding === undefined ? body : gunzipSync(body)).length).toBe(length)
    }
  })

  it("does nothing once a response has begun", async () => {
    const { body } = await ask(async (outgoing) => {
      outgoing.writeHead(200)
      await sendBytes(outgoing, { status: 500, contentType: "text/x", body: Buffer.from("late") })
      outgoing.end("first")
    })
    expect(body.toString()).toBe("first")
  })
})

describe("sendError", () => {
  it("sends a Status in an encoding that the client reads, JSON otherwise", async () => {
    for (const [accept, type, start] of [
      [undefined, "application/json", "{"],
      ["application/yaml", "application/yaml", "apiVersion: v1"],
      ["text/html", "application/json", "{"],
    ] as const) {
      const { response, body } = await ask((outgoing) => sendError(outgoing, missing, { vendor, accept }))
      expect([response.statusCode, response.headers["content-type"]]).toEqual([404, type])
      expect(body.toString().startsWith(start)).toBe(true)
    }
  })

  it("says when to retry, and destroys a response that has begun", async () => {
    const busy = new ApiError(429, "TooManyRequests", "later", { retryAfterSeconds: 3 })
    expect((await ask((outgoing) => sendError(outgoing, busy, { vendor }))).response.headers["retry-after"]).toBe("3")
    await expect(
      ask((outgoing) => {
        outgoing.flushHeaders()
        sendError(outgoing, busy, { vendor })
      }),
    ).rejects.toThrow()
  })
})

describe("encodeStatus", () => {
  it("equals the reference byte for byte in protobuf", () => {
    expect(encodeStatus("compact", failureStatus(missing, vendor)).toString("hex")).toBe(
      "6b3873000a0c0a027631120653746174757312550a060a0012001a0012074661696c7572651a1b636f6e6669676d61707320226e6f6e6522206e6f7420666f756e6422084e6f74466f756e642a180a046e6f6e6512001a0a636f6e6669676d617073280032003094031a002200",
    )
  })
})

describe("warningHeaders", () => {
  it("lists each text once, in characters that a header may hold", () => {
    expect(warningHeaders([])).toEqual({})
    expect(warningHeaders(["a", "a", "é\n"])).toEqual({ warning: ['299 - "a"', '299 - "??"'] })
  })

  it("limits the size of the header", () => {
    const { warning = [] } = warningHeaders(Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(100_000)}`))
    expect(warning.join("").length).toBeLessThan(5000)
  })
})
