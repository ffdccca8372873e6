/** A thread that misbehaves as its message says. */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", (body: Uint8Array) => {
  const word = Buffer.from(body).toString()
  if (word === "throw") throw new Error("broken")
  if (word === "exit") process.exit(1)
  if (word === "spin") for (;;) if (Date.now() < 0) break
  if (word === "eat") eat()
  parentPort?.postMessage({ json: JSON.stringify(word), duplicates: [] })
})

function eat(): void {
  const eaten: number[][] = []
  while (eaten.length >= 0) eaten.push(Array.from({ length: 10_000 }, (_none, index) => index + 0.5))
}
