/** Formats figures as Markdown tables. */
import { isOnlyDrawn } from "./charts.ts"
import { groupsOf } from "./groups.ts"
import type { Result } from "./results.ts"
import type { Row } from "./tell.ts"

/**
 * Questions with pivoted tables: the column in front, the column across the top, and the values, with one table each.
 */
const pivots: Readonly<Record<string, { readonly front: string; readonly top: string; readonly values: readonly string[] }>> = {
  growth: { front: "verb", top: "objects", values: ["cpuUs", "p99Ms", "perSecond"] },
}

/**
 * Called for each reported question. Returns lines; rows with the same columns form one table, in their original order.
 */
export function tables(result: Result): string[] {
  const pivot = pivots[result.question]
  const shown = result.rows.filter((row) => !isOnlyDrawn(result, row))
  return [...groupsOf(shown, (row) => Object.keys(row).join("\n")).values()].flatMap((group) => {
    if (pivot === undefined || group[0]?.[pivot.front] === undefined) return plainTable(group)
    return pivot.values.flatMap((value) => pivotTable(group, { ...pivot, value }))
  })
}

/** States values that are equal in all rows once, above the table. */
function plainTable(rows: readonly Row[]): string[] {
  const all = Object.keys(rows[0] ?? {})
  const same = rows.length < 2 ? [] : all.filter((column) => rows.every((row) => row[column] === rows[0]?.[column]))
  const columns = all.filter((column) => !same.includes(column))
  const said = same.map((column) => `${column} ${cell(rows[0]?.[column])}`).join(", ")
  return [...(said === "" ? [] : [`Of each row: ${said}.`, ""]), ...table(columns, rows)]
}

function pivotTable(rows: readonly Row[], { front, top, value }: { front: string; top: string; value: string }): string[] {
  const columns = [...new Set(rows.map((row) => row[top]))]
  const crossed = [...groupsOf(rows, (row) => String(row[front])).entries()].map(([name, of]): Row => {
    const values = columns.map((column) => [cell(column), of.find((row) => row[top] === column)?.[value] ?? null] as const)
    return { [`${value} by ${top}`]: name, ...Object.fromEntries(values) }
  })
  const filled = crossed.filter((row) => Object.values(row).filter((one) => one !== null).length > 1)
  return table([`${value} by ${top}`, ...columns.map(cell)], filled)
}

function table(columns: readonly string[], rows: readonly Row[]): string[] {
  const right = columns.map((column) => rows.every((row) => typeof row[column] !== "string"))
  return [
    `| ${columns.join(" | ")} |`,
    `|${right.map((numeric) => (numeric ? "---:" : "---")).join("|")}|`,
    ...rows.map((row) => `| ${columns.map((column) => cell(row[column])).join(" | ")} |`),
    "",
  ]
}

function cell(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return ""
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "number" ? value.toLocaleString("en-GB", { maximumSignificantDigits: 4 }) : value.replaceAll("|", "\\|")
}
