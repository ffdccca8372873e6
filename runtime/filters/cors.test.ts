import { expect, test } from "vitest"
import { originCharactersMax } from "../base/limits.ts"
import type { RequestContext } from "../http/request/context.ts"
import { cors } from "./cors.ts"

/** Returns the `Access-Control-Allow-Origin` of the answer to a request from `origin`. */
function allowed(origin: string): unknown {
  const headers = new Map<string, unknown>()
  const request = {
    incoming: { method: "GET", headers: { origin } },
    outgoing: { setHeader: (name: string, value: unknown) => headers.set(name, value) },
  }
  cors({ allowedOrigins: [/^https:\/\/[a-z.]+$/] })(request as unknown as RequestContext) // The step reads these members alone.
  return headers.get("access-control-allow-origin")
}

test("an origin that matches a pattern is allowed; an overlong one is not even compared", () => {
  const origin = `https://${"a".repeat(originCharactersMax - 8)}`
  expect(allowed(origin)).toBe(origin)
  expect(allowed(`${origin}a`)).toBeUndefined()
  expect(allowed("http://a")).toBeUndefined()
})
