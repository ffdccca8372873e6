import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const module = fileURLToPath(new URL("engine.ts", import.meta.url))

/** Returns V8's trace of a child process that tunes it and runs `work`: flags apply to a whole process. */
function trace(flag: string, given: readonly string[], work: string): string {
  const script = `
    import { tuneEngine } from ${JSON.stringify(module)}
    tuneEngine(${JSON.stringify(given)})
    ${work}
  `
  return execFileSync(process.execPath, ["--import", "tsx", flag, "--input-type=module", "--eval", script], { encoding: "utf8" })
}

it("collects earlier than V8's default, unless node was started with the flag", () => {
  // With fewer objects Node 24, whose young generation is larger, ends the process before it has finished to collect.
  const replaced = `
    const held = []
    for (let index = 0; index < 8_000_000; index++) held[index % 1_000_000] = { index, text: [index] }
  `
  const collections = (given: readonly string[]): number => trace("--trace-gc", given, replaced).split("Mark-Compact").length - 1
  expect(collections([])).toBeGreaterThan(collections(["--heap_growing_percent=400"]))
}, 120_000)

it.runIf(process.versions.node.startsWith("20."))(
  "optimizes later than V8's default, unless node was started with the flag",
  () => {
    const calls = `
    function walk(text) {
      let sum = 0
      for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
      return sum
    }
    for (let turn = 0; turn < 100; turn++) {
      walk("a text of some characters that is walked through")
      await new Promise(setImmediate)
    }
  `
    const isOptimized = (given: readonly string[]): boolean =>
      trace("--trace-opt", given, calls)
        .split("\n")
        .some((line) => line.includes("completed optimizing") && line.includes("walk"))
    expect([isOptimized([]), isOptimized(["--interrupt-budget=67584"])]).toEqual([false, true])
  },
  120_000,
)
