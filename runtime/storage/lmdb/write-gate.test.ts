import { Worker } from "node:worker_threads"
import { expect, onTestFinished, test } from "vitest"
import { newGateWord, shutAll, WriteGate } from "./write-gate.ts"

test("what is worked on when the gate is shut ends first, and nothing begins after it", async () => {
  const word = newGateWord()
  // The worker's side of a request that ends after a while.
  const busy = new Worker(
    `const { workerData } = require("node:worker_threads")
    const word = new Int32Array(workerData)
    Atomics.store(word, 0, 1)
    require("node:worker_threads").parentPort.postMessage("begun")
    setTimeout(() => { Atomics.store(word, 0, 0); Atomics.notify(word, 0) }, 50)`,
    { eval: true, workerData: word },
  )
  onTestFinished(async () => void (await busy.terminate()))
  await new Promise((resolve) => busy.once("message", resolve))
  const gate = new WriteGate(word)
  expect(gate.shut(60_000)).toBe(true)
  expect(gate.within(() => "written")).toBeUndefined()
})

test("a thread that does not finish has the process killed, and one that is idle does not", () => {
  const killed: string[] = []
  const [stuck, idle] = [new WriteGate(newGateWord()), new WriteGate(newGateWord())]
  stuck.within(() => shutAll([idle, stuck], 1, (why) => killed.push(why)))
  expect(killed).toEqual(["the thread of the store has not finished a transaction for 0.001 s"])
  shutAll([stuck, idle], 1, (why) => killed.push(why))
  expect(killed.length).toBe(1)
})
