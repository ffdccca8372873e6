/** A result of a question, as one line of JSON. `npm run bench -- --report` collects these lines. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/**
 * Called once per measurement. Numbers are rounded to four digits, the precision of a single run. Names end in their
 * units.
 */
export function printRow(row: Row): void {
  console.log(JSON.stringify(row, (_, value) => (typeof value === "number" ? cut(value) : value)))
}

function cut(value: number): number {
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4))
}
