import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const module = fileURLToPath(new URL("heap-growth.ts", import.meta.url))

/** Full collections while a process makes 300 MB that live for a while, in a process of its own: the setting is for all of it. */
function collections(given: readonly string[]): number {
  const script = `
    import { boundHeapGrowth } from ${JSON.stringify(module)}
    boundHeapGrowth(${JSON.stringify(given)})
    const held = []
    for (let index = 0; index < 3_000_000; index++) held[index % 300_000] = { index, text: [index] }
  `
  const traced = execFileSync(process.execPath, ["--import", "tsx", "--trace-gc", "--input-type=module", "--eval", script], {
    encoding: "utf8",
  })
  return traced.split("Mark-Compact").length - 1
}

it("collects sooner than V8 by itself, unless node was told otherwise", () => {
  expect(collections([])).toBeGreaterThan(collections(["--heap_growing_percent=400"]))
})
