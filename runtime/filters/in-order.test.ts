import { expect, test } from "vitest"
import { answered, type Step } from "../http/env.ts"
import type { RequestContext } from "../http/request/context.ts"
import { inOrder } from "./in-order.ts"

/** Returns the names of the steps that ran, and the outcome. */
async function run(steps: Readonly<Record<string, Step>>): Promise<string[]> {
  const said: string[] = []
  const spoken = Object.entries(steps).map(
    ([name, step]): Step =>
      (request) => {
        said.push(name)
        return step(request)
      },
  )
  const request = {} as RequestContext // Nothing reads it.
  try {
    const result = await inOrder(spoken, request)
    return [...said, String(result)]
  } catch (error) {
    return [...said, String(error)]
  }
}

const pass: Step = () => undefined
const wait: Step = () => new Promise((resolve) => setImmediate(resolve, undefined))
const answer: Step = () => answered
const answerLater: Step = () => Promise.resolve(answered)
function fail(): never {
  throw new Error("no")
}

test.each<[string, Record<string, Step>, string[]]>([
  ["all pass", { a: pass, b: pass }, ["a", "b", "undefined"]],
  ["the steps after one that waits run later", { a: pass, b: wait, c: pass, d: wait }, ["a", "b", "c", "d", "undefined"]],
  ["one answers", { a: pass, b: answer, c: pass }, ["a", "b", "answered"]],
  ["one answers after it has waited", { a: answerLater, b: pass }, ["a", "answered"]],
  ["one answers after another has waited", { a: wait, b: answer, c: pass }, ["a", "b", "answered"]],
  ["one throws", { a: fail, b: pass }, ["a", "Error: no"]],
  ["one throws after another has waited", { a: wait, b: fail, c: pass }, ["a", "b", "Error: no"]],
  ["one rejects", { a: () => Promise.reject(new Error("no")), b: pass }, ["a", "Error: no"]],
])("%s", async (_case, steps, said) => {
  expect(await run(steps)).toEqual(said)
})
