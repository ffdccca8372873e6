import type { IncomingMessage } from "node:http"
import { expect, test } from "vitest"
import type { Incoming } from "../http/exchange.ts"
import { answerHeaders, answerTrailers, requestHeaders } from "./headers.ts"

// Each function reads these fields alone.
const request = (headers: object, hasBody = false): Incoming =>
  ({ headers, hasBody, socket: { remoteAddress: "10.0.0.9" } }) as unknown as Incoming
const answer = (headers: Record<string, string[]>, trailers: Record<string, string[]> = {}): IncomingMessage =>
  ({
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(", ")])),
    headersDistinct: headers,
    trailersDistinct: trailers,
  }) as unknown as IncomingMessage

test("a request keeps its fields, but for those of this connection and of this server", () => {
  const sent = {
    ":method": "GET",
    ":authority": "api:6443",
    accept: "text/html",
    authorization: "Bearer secret",
    connection: "close, X-One, x-two",
    cookie: "a=b",
    host: "other",
    "impersonate-user": "root",
    "impersonate-extra-a": "b",
    "keep-alive": "5",
    "proxy-authorization": "Basic secret",
    te: "gzip, trailers",
    upgrade: "h2c",
    "x-forwarded-for": "10.0.0.1",
    "x-one": "1",
    "x-remote-user": "root",
    "x-two": "2",
    "x-three": "3",
  }
  expect(requestHeaders(request(sent), { uri: "/p" })).toEqual({
    accept: "text/html",
    cookie: "a=b",
    host: "api:6443",
    te: "trailers",
    "x-forwarded-for": "10.0.0.1, 10.0.0.9",
    "x-forwarded-uri": "/p",
    "x-three": "3",
  })
})

test("a body without a length is framed, one with a length is not, and an upgrade has none", () => {
  const framing = (headers: object, hasBody: boolean, upgrade?: string): unknown => {
    const {
      host: _host,
      "x-forwarded-for": _for,
      ...rest
    } = requestHeaders(request(headers, hasBody), upgrade === undefined ? {} : { upgrade })
    return rest
  }
  expect(framing({}, true)).toEqual({ "transfer-encoding": "chunked" })
  expect(framing({ "content-length": "5" }, true)).toEqual({ "content-length": "5" })
  expect(framing({}, false)).toEqual({})
  expect(framing({ connection: "Upgrade", upgrade: "spdy/3.1" }, false, "spdy/3.1")).toEqual({ connection: "Upgrade", upgrade: "spdy/3.1" })
})

test.each([
  ["base64url.bearer.authorization.abc", undefined],
  ["base64url.bearer.authorization.abc, v4.channel.orch.io", "v4.channel.orch.io"],
  ["a, base64url.bearer.authorization.abc,b , base64url.bearer.authorization.d", "a, b"],
  ["a,b", "a,b"],
])("of the websocket protocols %s the other end gets %s", (sent, passed) => {
  expect(requestHeaders(request({ "sec-websocket-protocol": sent }), {})["sec-websocket-protocol"]).toBe(passed)
})

test("an answer keeps its fields, but for those of the other connection and for scripts of other sites", () => {
  const headers = {
    "access-control-allow-origin": ["*"],
    "access-control-expose-headers": ["a"],
    connection: ["close, X-One, x-two"],
    "content-type": ["text/html"],
    "keep-alive": ["5"],
    "set-cookie": ["a=b", "c=d"],
    "transfer-encoding": ["chunked"],
    "x-one": ["1"],
    "x-two": ["2"],
    "x-three": ["3"],
  }
  expect(Object.fromEntries(answerHeaders(answer(headers)))).toEqual({
    "access-control-expose-headers": ["a"],
    "content-type": ["text/html"],
    "set-cookie": ["a=b", "c=d"],
    "x-three": ["3"],
  })
})

test("trailers say nothing of framing, routing and permission", () => {
  const trailers = {
    "access-control-allow-credentials": ["true"],
    connection: ["close"],
    "content-length": ["5"],
    "grpc-status": ["0"],
    "set-cookie": ["a=b"],
    "x-sum": ["1", "2"],
  }
  expect(answerTrailers(answer({}, trailers))).toEqual({ "grpc-status": "0", "x-sum": "1, 2" })
})
