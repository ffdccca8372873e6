import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const module = fileURLToPath(new URL("heap-growth.ts", import.meta.url))

/**
 * Counts full collections of a process that keeps 1,000,000 objects and replaces all of them seven times. With fewer
 * objects Node 24, whose young generation is larger, ends the process before it has finished its collections. Runs in a
 * child process, because the setting applies to a whole process.
 */
function collections(given: readonly string[]): number {
  const script = `
    import { boundHeapGrowth } from ${JSON.stringify(module)}
    boundHeapGrowth(${JSON.stringify(given)})
    const held = []
    for (let index = 0; index < 8_000_000; index++) held[index % 1_000_000] = { index, text: [index] }
  `
  const traced = execFileSync(process.execPath, ["--import", "tsx", "--trace-gc", "--input-type=module", "--eval", script], {
    encoding: "utf8",
  })
  return traced.split("Mark-Compact").length - 1
}

it("collects earlier than V8's default, unless node was started with the flag", () => {
  expect(collections([])).toBeGreaterThan(collections(["--heap_growing_percent=400"]))
})
