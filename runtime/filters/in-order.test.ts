import { Hono } from "hono"
import { expect, test } from "vitest"
import { RequestReader } from "../http/request/reader.ts"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import type { ServerEnv, Step } from "../http/env.ts"
import { vendorProfile } from "../base/vendor.ts"
import { inOrder } from "./in-order.ts"

/** Returns the names of the steps that ran, `handler` if it ran, and the status of the answer. */
async function run(steps: Readonly<Record<string, Step>>): Promise<string[]> {
  const said: string[] = []
  const spoken = Object.entries(steps).map(
    ([name, step]): Step =>
      (env) => {
        said.push(name)
        return step(env)
      },
  )
  const app = new Hono<ServerEnv>().use(inOrder(spoken)).all("*", (c) => {
    said.push("handler")
    return c.body(null)
  })
  app.onError((error, c) => c.text(error.message, 500))
  const incoming = { method: "GET", url: "/", headers: {} } as Incoming // Nothing else is read.
  const outgoing = {} as Outgoing // As above.
  const request = new RequestReader(vendorProfile("orch")).read(incoming, outgoing)
  const { status } = await app.fetch(new Request("https://localhost/"), { incoming, outgoing, request })
  return [...said, String(status)]
}

const pass: Step = () => undefined
const wait: Step = () => new Promise((resolve) => setImmediate(resolve, undefined))
const answer: Step = () => new Response(null, { status: 204 })
const answerLater: Step = () => Promise.resolve(new Response(null, { status: 204 }))
function fail(): never {
  throw new Error("no")
}

test.each<[string, Record<string, Step>, string[]]>([
  ["all pass", { a: pass, b: pass }, ["a", "b", "handler", "200"]],
  ["the steps after one that waits run later", { a: pass, b: wait, c: pass, d: wait }, ["a", "b", "c", "d", "handler", "200"]],
  ["one answers", { a: pass, b: answer, c: pass }, ["a", "b", "204"]],
  ["one answers after it has waited", { a: answerLater, b: pass }, ["a", "204"]],
  ["one answers after another has waited", { a: wait, b: answer, c: pass }, ["a", "b", "204"]],
  ["one throws", { a: fail, b: pass }, ["a", "500"]],
  ["one throws after another has waited", { a: wait, b: fail, c: pass }, ["a", "b", "500"]],
  ["one rejects", { a: () => Promise.reject(new Error("no")), b: pass }, ["a", "500"]],
])("%s", async (_case, steps, said) => {
  expect(await run(steps)).toEqual(said)
})
