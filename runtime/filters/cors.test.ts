import { expect, test } from "vitest"
import { originCharactersMax } from "../limits.ts"
import type { Exchange } from "../server-env.ts"
import { cors } from "./cors.ts"

/** The origin that the answer allows, of a request from `origin`. */
function allowed(origin: string): unknown {
  const headers = new Map<string, unknown>()
  const exchange = {
    incoming: { method: "GET", headers: { origin } },
    outgoing: { setHeader: (name: string, value: unknown) => headers.set(name, value) },
  } as unknown as Exchange // The filter asks for nothing else of a GET.
  cors({ allowedOrigins: [/^https:\/\/[a-z.]+$/] })(exchange)
  return headers.get("access-control-allow-origin")
}

test("an origin that a pattern allows is told so, one that is longer than any origin is not even looked at", () => {
  const origin = `https://${"a".repeat(originCharactersMax - 8)}`
  expect(allowed(origin)).toBe(origin)
  expect(allowed(`${origin}a`)).toBeUndefined()
  expect(allowed("http://a")).toBeUndefined()
})
