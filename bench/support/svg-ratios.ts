/**
 * Bars of ratios as an SVG text: right of 1 this server is ahead, left of it behind, on a logarithmic scale; a mark
 * shows the goal.
 */
import { svgText } from "./svg-chart.ts"

export interface Ratio {
  readonly name: string
  readonly value: number
  readonly goal?: number
}

const width = 760
const left = 170
const right = 120
const top = 58
const rowHeight = 26
/** The minimum range, so that 1 is never at an edge. */
const shownAlways = [0.5, 10]

/** The whole file. Ratios must be greater than 0. */
export function svgRatios(title: string, ratios: readonly Ratio[]): string {
  const values = [...ratios.flatMap(({ value, goal = value }) => [value, goal]), ...shownAlways].map(Math.log10)
  const [from, to] = [Math.min(...values), Math.max(...values)]
  const place = (ratio: number): number => left + ((Math.log10(ratio) - from) / (to - from)) * (width - left - right)
  const bottom = top + ratios.length * rowHeight
  const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 40}" width="${width}" height="${bottom + 40}" font-family="sans-serif" font-size="12" fill="#222222">`,
    `<rect width="${width}" height="${bottom + 40}" fill="#ffffff"/>`,
    svgText(24, 24, title, 'font-size="15" font-weight="bold"'),
    svgText(24, 42, "bar: measured; mark: goal", 'fill="#666666"'),
    ...ticks.flatMap((tick) => [
      `<path d="M${at(place(tick))} ${top}V${bottom}" stroke="${tick === 1 ? "#222222" : "#dddddd"}"/>`,
      svgText(place(tick), bottom + 18, `${tick} ×`, 'text-anchor="middle"'),
    ]),
    ...ratios.flatMap((ratio, row) => bar(ratio, top + row * rowHeight, place)),
    "</svg>",
  ].join("\n")}\n`
}

function bar({ name, value, goal }: Ratio, y: number, place: (ratio: number) => number): string[] {
  const [start, end] = [Math.min(place(1), place(value)), Math.max(place(1), place(value))]
  const good = goal === undefined || value >= goal
  return [
    svgText(left - 12, y + 17, name, 'text-anchor="end"'),
    `<rect x="${at(start)}" y="${y + 5}" width="${at(end - start)}" height="${rowHeight - 10}" fill="${good ? "#009e73" : "#e69f00"}"/>`,
    ...(goal === undefined ? [] : [`<path d="M${at(place(goal))} ${y + 2}v${rowHeight - 4}" stroke="#222222" stroke-width="3"/>`]),
    svgText(width - 16, y + 17, `${short(value)}${goal === undefined ? "" : ` of ${short(goal)}`}`, 'text-anchor="end"'),
  ]
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10)
}
