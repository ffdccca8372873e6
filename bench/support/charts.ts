/** The charts of docs/PERFORMANCE.md: for each, the question with its rows, and the columns. */
import { groupsOf } from "./groups.ts"
import type { Result } from "./results.ts"
import type { Row } from "./tell.ts"
import { type Chart, type Series, svgChart } from "./svg-chart.ts"
import { svgRatios } from "./svg-ratios.ts"

interface Picture extends Omit<Chart, "series"> {
  /** File name in docs/performance, without extension. */
  readonly file: string
  readonly question: string
  readonly x: string
  /** Columns that become lines, with their labels. */
  readonly lines?: Readonly<Record<string, string>>
  /** One column for all lines; rows with equal values of `by` form one line. */
  readonly by?: { readonly name: string; readonly y: string }
  /** Whether the rows appear only in the chart: they are many, and only their course matters. */
  readonly onlyDrawn?: boolean
}

const pictures: readonly Picture[] = [
  {
    file: "growth",
    question: "growth",
    title: "The server's CPU for each request, by objects of the kind",
    xLabel: "objects",
    yLabel: "microseconds of CPU",
    x: "objects",
    by: { name: "verb", y: "cpuUs" },
    logX: true,
    logY: true,
  },
  {
    file: "watch-lag",
    question: "watch-lag",
    title: "From sending a write to the event at 100 watchers",
    xLabel: "writes a second",
    yLabel: "milliseconds",
    x: "writesPerSecond",
    lines: { lagP50Ms: "watch, p50", lagP99Ms: "watch, p99", writeP50Ms: "write, p50", writeP99Ms: "write, p99" },
    logY: true,
  },
  {
    file: "config-maps",
    question: "config-maps",
    title: "ConfigMaps created a second by 10 clients, by how many there are",
    xLabel: "objects",
    yLabel: "creates a second",
    x: "objects",
    lines: { createsPerSecond: "creates" },
    logX: true,
  },
  {
    file: "soak",
    question: "soak",
    title: "Resident memory under watchers, writes and objects",
    xLabel: "minutes",
    yLabel: "megabytes",
    x: "minute",
    lines: { anonMb: "held by the process", fileMb: "pages of files", heapUsedMb: "of it JavaScript, in use", externalMb: "of it buffers" },
    onlyDrawn: true,
  },
]

/** One chart for each protocol, from the rows of the comparison. */
const ratioPictures = [
  { file: "compare-cpu", title: "CPU for each request, the original's by ours", value: "cpuRatio", goal: "cpuGoal" },
  { file: "compare-throughput", title: "Throughput, ours by the original's", value: "ratio", goal: "ratioGoal" },
] as const

export interface DrawnChart {
  /** In docs/performance. */
  readonly file: string
  readonly title: string
  readonly svg: string
}

/** Called for each reported question. */
export function chartsOf(result: Result): readonly DrawnChart[] {
  return result.question === "compare" ? comparisons(result) : lineCharts(result)
}

/** Whether a row appears in a chart and in no table. */
export function isOnlyDrawn({ question }: Result, row: Row): boolean {
  return pictures.some((picture) => picture.onlyDrawn === true && picture.question === question && row[picture.x] !== undefined)
}

function comparisons({ rows }: Result): readonly DrawnChart[] {
  return [...groupsOf(rows, (row) => String(row["protocol"]))].flatMap(([protocol, of]) =>
    ratioPictures.flatMap(({ file, title, value, goal }) => {
      const ratios = of.flatMap((row) => {
        const [measured, wanted] = [row[value], row[goal]]
        if (typeof measured !== "number" || measured <= 0) return []
        return [{ name: String(row["phase"]), value: measured, ...(typeof wanted === "number" && { goal: wanted }) }]
      })
      const suffix = protocol.toLowerCase().replace(/[^a-z0-9]+/g, "-")
      const whole = `${title}, over ${protocol}`
      return ratios.length === 0 ? [] : [{ file: `${file}-${suffix}.svg`, title: whole, svg: svgRatios(whole, ratios) }]
    }),
  )
}

function lineCharts(result: Result): readonly DrawnChart[] {
  return pictures
    .filter(({ question }) => question === result.question)
    .map((picture) => ({ picture, series: seriesOf(picture, result) }))
    .filter(({ series }) => series.some(({ points }) => points.length > 1))
    .map(({ picture, series }) => ({ file: `${picture.file}.svg`, title: picture.title, svg: svgChart({ ...picture, series }) }))
}

function seriesOf({ x, lines = {}, by }: Picture, { rows }: Result): readonly Series[] {
  const columns = Object.entries(lines).map(([column, name]) => ({ name, column, rows }))
  const groups =
    by === undefined ? [] : [...groupsOf(rows, (row) => String(row[by.name]))].map(([name, of]) => ({ name, column: by.y, rows: of }))
  const series = [...columns, ...groups].map(({ name, column, rows: of }) => ({
    name,
    points: of.flatMap((row) => {
      const point = { x: row[x], y: row[column] }
      return typeof point.x === "number" && typeof point.y === "number" ? [{ x: point.x, y: point.y }] : []
    }),
  }))
  return series.filter(({ points }) => points.length > 0)
}
