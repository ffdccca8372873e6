import { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { requestHeaderFieldsMax } from "../base/limits.ts"
import { Http1Incoming } from "./http1-exchange.ts"
import { originForm, refusalOf } from "./request-validation.ts"

function request(httpVersion: string, fields: readonly (readonly [string, string])[]): Http1Incoming {
  const incoming = new Http1Incoming(new Socket())
  incoming.httpVersion = httpVersion
  for (const [name, value] of fields) {
    incoming.rawHeaders.push(name, value)
    incoming.headers[name.toLowerCase()] ??= value
  }
  return incoming
}

describe("refusalOf", () => {
  const host = ["Host", "a"] as const
  it.each([
    ["one Host", "1.1", [host], undefined],
    ["HTTP/1.0 without Host", "1.0", [], undefined],
    ["chunked in any case", "1.1", [host, ["Transfer-Encoding", "Chunked"]], undefined],
    ["no Host", "1.1", [], 400],
    ["two Hosts", "1.1", [host, ["HOST", "b"]], 400],
    ["a malformed Host", "1.1", [["Host", "a/b"]], 400],
    ["another encoding", "1.1", [host, ["Transfer-Encoding", "gzip, chunked"]], 501],
    ["a version that has no text form", "2.0", [host], 505],
    ["too many fields", "1.1", Array.from({ length: requestHeaderFieldsMax }, () => host), 431],
  ] as const)("%s", (_what, version, fields, code) => {
    expect(refusalOf(request(version, fields))?.code).toBe(code)
  })
})

describe("refusalOf of HTTP/2, which has no text of its fields", () => {
  it.each([
    ["an authority", { ":authority": "a:6443" }, undefined],
    ["a Host without an authority", { host: "a" }, undefined],
    ["both of them", { ":authority": "a", host: "a" }, undefined],
    ["both of them in different case", { ":authority": "Api.Example.com", host: "api.example.COM" }, undefined],
    ["two different ones", { ":authority": "a", host: "b" }, 400],
    ["two different ports", { ":authority": "a:1", host: "a:2" }, 400],
    ["a malformed authority", { ":authority": "a/b" }, 400],
    ["a malformed Host", { host: "a b" }, 400],
  ] as const)("%s", (_what, headers, code) => {
    // It reads nothing else of these.
    const incoming = { headers, rawHeaders: undefined, httpVersion: "2.0" } as unknown as Parameters<typeof refusalOf>[0]
    expect(refusalOf(incoming)?.code).toBe(code)
  })
})

it.each([
  ["/api/v1?watch=1", "/api/v1?watch=1"],
  ["//api", "//api"],
  ["https://example.com:6443/api/v1?limit=1", "/api/v1?limit=1"],
  ["HTTP://example.com", "/"],
  ["http://example.com?verbose", "/?verbose"],
  ["*", "/*"],
])("originForm of %s", (target, path) => {
  expect(originForm(target)).toBe(path)
})
