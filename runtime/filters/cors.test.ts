import { Hono } from "hono"
import { expect, test } from "vitest"
import { originCharactersMax } from "../base/limits.ts"
import type { ServerEnv } from "../http/env.ts"
import { cors } from "./cors.ts"
import { inOrder } from "./in-order.ts"

/** Returns the `Access-Control-Allow-Origin` of the answer to a request from `origin`. */
async function allowed(origin: string): Promise<unknown> {
  const headers = new Map<string, unknown>()
  const env = {
    incoming: { method: "GET", headers: { origin } },
    outgoing: { setHeader: (name: string, value: unknown) => headers.set(name, value) },
  }
  const app = new Hono<ServerEnv>().use(inOrder([cors({ allowedOrigins: [/^https:\/\/[a-z.]+$/] })])).all("*", (c) => c.body(null))
  await app.fetch(new Request("https://localhost/"), env)
  return headers.get("access-control-allow-origin")
}

test("an origin that matches a pattern is allowed; an overlong one is not even compared", async () => {
  const origin = `https://${"a".repeat(originCharactersMax - 8)}`
  expect(await allowed(origin)).toBe(origin)
  expect(await allowed(`${origin}a`)).toBeUndefined()
  expect(await allowed("http://a")).toBeUndefined()
})
