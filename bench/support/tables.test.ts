import { expect, it } from "vitest"
import type { Result } from "./results.ts"
import { tables } from "./tables.ts"

const machine = { processor: "p", cores: 2, memoryGb: 1, system: "s", loadBefore: 0 }
const result: Result = { question: "selector", options: [], date: "", seconds: 1, machine, versions: {}, rows: [] }

it("states values that are equal in all rows once, and separates rows with other columns", () => {
  const rows = [{ objects: 20_000, form: "JSON", p50Ms: 1.23456 }, { objects: 20_000, form: "Table", p50Ms: 2 }, { complete: true }]
  expect(tables({ ...result, rows })).toEqual([
    "Of each row: objects 20,000.",
    "",
    "| form | p50Ms |",
    "|---|---:|",
    "| JSON | 1.235 |",
    "| Table | 2 |",
    "",
    "| complete |",
    "|---:|",
    "| yes |",
    "",
  ])
})

it("arranges growth by columns", () => {
  const rows = [1000, 300_000].flatMap((objects) => [
    { objects, verb: "get", cpuUs: objects / 1000, p99Ms: null, perSecond: 1 },
    { objects, verb: "list", cpuUs: 7, p99Ms: 2, perSecond: 1 },
  ])
  const lines = tables({ ...result, question: "growth", rows })
  expect(lines.slice(0, 4)).toEqual(["| cpuUs by objects | 1,000 | 300,000 |", "|---|---:|---:|", "| get | 1 | 300 |", "| list | 7 | 7 |"])
  expect(lines.filter((line) => line.startsWith("| get"))).toHaveLength(2)
})

it("leaves samples to the chart", () => {
  const lines = tables({
    ...result,
    question: "soak",
    rows: [
      { minute: 1, residentMb: 2 },
      { minutes: 3, complete: true },
    ],
  })
  expect(lines[0]).toBe("| minutes | complete |")
})
