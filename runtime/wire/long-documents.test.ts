import { expect, it } from "vitest"
import { badRequest, timeout } from "../base/errors.ts"
import type { Stages } from "../base/turns.ts"
import { runExclusive } from "./long-documents.ts"

function* work(name: string, pieces: number, log: string[]): Stages<string> {
  for (let piece = 0; piece < pieces; piece++) {
    log.push(`${name}${piece}`)
    yield
  }
  return name
}

it("works on one document at a time, first come first served", async () => {
  const log: string[] = []
  expect(await Promise.all(["a", "b", "c"].map((name) => runExclusive(work(name, 2, log))))).toEqual(["a", "b", "c"])
  expect(log).toEqual(["a0", "a1", "b0", "b1", "c0", "c1"])
})

it("yields between two pieces", async () => {
  const log: string[] = []
  const done = runExclusive(work("a", 3, log))
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate)
    log.push("other")
  }
  await done
  expect(log.join(" ")).toMatch(/a0 .*other.* a2/)
})

it("continues after an invalid document", async () => {
  const broken = function* (): Stages<void> {
    yield
    throw badRequest("broken")
  }
  const [first, second] = await Promise.allSettled([runExclusive(broken()), runExclusive(work("b", 1, []))])
  expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"])
})

it("stops when a request ends, whether it waits or runs", async () => {
  const log: string[] = []
  const [atWork, waiting] = [new AbortController(), new AbortController()]
  const late = timeout("too late", 0)
  const results = Promise.allSettled([
    runExclusive(work("a", 1000, log), atWork.signal),
    runExclusive(work("b", 1, log), waiting.signal),
    runExclusive(work("c", 1, log)),
    runExclusive(work("d", 1, log), AbortSignal.abort(late)),
  ])
  await new Promise(setImmediate)
  waiting.abort(late)
  atWork.abort(new Error("gone"))
  const [a, b, c, d] = await results
  expect(a).toMatchObject({ status: "rejected", reason: { code: 400, message: "the request ended before its body was decoded" } })
  expect([b, d]).toEqual([
    { status: "rejected", reason: late },
    { status: "rejected", reason: late },
  ])
  expect(c?.status).toBe("fulfilled")
  expect(log.length).toBeLessThan(10)
  expect(log.at(-1)).toBe("c0")
})
