/**
 * Line charts as SVG texts: a title, two axes with round numbers, a labelled line for each series. No theme colours:
 * white background, dark text.
 */

export interface Series {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Chart {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** Logarithmic axes; values of 0 and below are left out. */
  readonly logX?: boolean
  readonly logY?: boolean
  readonly series: readonly Series[]
}

const width = 760
const height = 420
const frame = { left: 78, right: 190, top: 46, bottom: 54 }
/** Distinguishable with colour blindness (Okabe and Ito). */
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5d3a9b", "#222222"]
/** Vertical space for each label at the end of a line. */
const nameHeight = 16

interface Axis {
  readonly ticks: readonly number[]
  place(value: number): number
}

/** The whole file. Ends with a line break. */
export function svgChart({ title, xLabel, yLabel, logX = false, logY = false, series }: Chart): string {
  const kept = series
    .map(({ name, points }) => ({
      name,
      points: points.filter(({ x, y }) => (!logX || x > 0) && (!logY || y > 0)).toSorted((left, right) => left.x - right.x),
    }))
    .filter((one) => one.points.length > 0)
  const points = kept.flatMap((one) => one.points)
  const xAxis = axis(
    points.map(({ x }) => x),
    { from: frame.left, to: width - frame.right, log: logX, zero: false },
  )
  const yAxis = axis(
    points.map(({ y }) => y),
    { from: height - frame.bottom, to: frame.top, log: logY, zero: true },
  )
  const middle = (frame.left + width - frame.right) / 2
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" fill="#222222">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    svgText(frame.left, 24, title, 'font-size="15" font-weight="bold"'),
    ...grid(xAxis, yAxis),
    svgText(middle, height - 12, xLabel, 'text-anchor="middle"'),
    svgText(16, height / 2, yLabel, `text-anchor="middle" transform="rotate(-90 16 ${height / 2})"`),
    ...kept.flatMap(({ points: of }, index) => line(of, { colour: colourOf(index), dashed: index >= colours.length }, xAxis, yAxis)),
    ...names(kept, yAxis),
    "</svg>",
  ].join("\n")}\n`
}

function axis(values: readonly number[], options: { from: number; to: number; log: boolean; zero: boolean }): Axis {
  const { from, to, log, zero } = options
  const ticks = log ? powersAround(values) : roundNumbersAround(zero ? [0, ...values] : values)
  const scale = (value: number): number => (log ? Math.log10(value) : value)
  const first = scale(ticks[0] ?? 0)
  const last = scale(ticks.at(-1) ?? 1)
  return { ticks, place: (value) => from + ((scale(value) - first) / (last - first || 1)) * (to - from) }
}

/** Powers of ten, with twice and five times each where there are few. */
function powersAround(values: readonly number[]): readonly number[] {
  const lowest = Math.log10(Math.min(...values))
  const highest = Math.log10(Math.max(...values))
  const factors = highest - lowest > 2.5 ? [1] : [1, 2, 5]
  const all = Array.from({ length: Math.ceil(highest) - Math.floor(lowest) + 2 }, (_, index) => Math.floor(lowest) + index).flatMap(
    (power) => factors.map((factor) => factor * 10 ** power),
  )
  const first = all.findLastIndex((tick) => Math.log10(tick) <= lowest)
  const last = all.findIndex((tick) => Math.log10(tick) >= highest)
  return all.slice(Math.max(first, 0), Math.max(last, first + 1) + 1)
}

/** About five numbers, at intervals of 1, 2 or 5 times a power of ten. */
function roundNumbersAround(values: readonly number[]): readonly number[] {
  const lowest = Math.min(...values)
  const highest = Math.max(...values)
  const rough = (highest - lowest || 1) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10)
  const first = Math.floor(lowest / step)
  const last = Math.max(Math.ceil(highest / step), first + 1)
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}

function grid(xAxis: Axis, yAxis: Axis): string[] {
  const right = width - frame.right
  const bottom = height - frame.bottom
  return [
    ...yAxis.ticks.flatMap((tick) => [
      `<path d="M${frame.left} ${at(yAxis.place(tick))}H${right}" stroke="#dddddd"/>`,
      svgText(frame.left - 8, yAxis.place(tick) + 4, short(tick), 'text-anchor="end"'),
    ]),
    ...xAxis.ticks.flatMap((tick) => [
      `<path d="M${at(xAxis.place(tick))} ${bottom}v5" stroke="#222222"/>`,
      svgText(xAxis.place(tick), bottom + 20, short(tick), 'text-anchor="middle"'),
    ]),
    `<path d="M${frame.left} ${bottom}H${right}" stroke="#222222"/>`,
  ]
}

function line(points: readonly Point[], { colour, dashed }: { colour: string; dashed: boolean }, xAxis: Axis, yAxis: Axis): string[] {
  const places = points.map(({ x, y }) => `${at(xAxis.place(x))} ${at(yAxis.place(y))}`)
  return [
    `<path d="M${places.join("L")}" fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="6 4"' : ""}/>`,
    ...places.map((place) => `<circle cx="${place.replace(" ", '" cy="')}" r="3" fill="${colour}"/>`),
  ]
}

/**
 * Labels at the height where their lines end; moved down where they would overlap, and up again from the bottom edge.
 */
function names(series: readonly Series[], yAxis: Axis): string[] {
  const ends = series
    .map(({ name, points }, index) => ({ name, index, y: yAxis.place(points.at(-1)?.y ?? yAxis.ticks[0] ?? 0) }))
    .toSorted((left, right) => left.y - right.y)
  const heights = ends.map(({ y }) => y)
  for (let at = 1; at < heights.length; at++) heights[at] = Math.max(heights[at] ?? 0, (heights[at - 1] ?? 0) + nameHeight)
  let below = height - frame.bottom + nameHeight
  for (let at = heights.length - 1; at >= 0; at--) {
    heights[at] = Math.min(heights[at] ?? 0, below - nameHeight)
    below = heights[at] ?? 0
  }
  return ends.map(({ name, index }, at) => svgText(width - frame.right + 12, (heights[at] ?? 0) + 4, name, `fill="${colourOf(index)}"`))
}

function colourOf(index: number): string {
  return colours[index % colours.length] ?? "#222222"
}

/** A `text` element; `content` is escaped, `attributes` are not. Also used by the other charts. */
export function svgText(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<text x="${at(x)}" y="${at(y)}" ${attributes}>${escaped}</text>`
}

function at(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** 1,500 becomes 1.5 k. */
function short(value: number): string {
  if (Math.abs(value) >= 1e6) return `${value / 1e6} M`
  return Math.abs(value) >= 1000 ? `${value / 1000} k` : String(Number(value.toPrecision(6)))
}
