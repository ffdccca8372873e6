import { Hono } from "hono"
import { expect, test } from "vitest"
import { originCharactersMax } from "../base/limits.ts"
import type { ServerEnv } from "../http/env.ts"
import { cors } from "./cors.ts"
import { inOrder } from "./in-order.ts"

/** The origin that the answer allows, of a request from `origin`. */
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

test("an origin that a pattern allows is told so, one that is longer than any origin is not even looked at", async () => {
  const origin = `https://${"a".repeat(originCharactersMax - 8)}`
  expect(await allowed(origin)).toBe(origin)
  expect(await allowed(`${origin}a`)).toBeUndefined()
  expect(await allowed("http://a")).toBeUndefined()
})
