import { describe, expect, it } from "vitest"
import { svgChart } from "./svg-chart.ts"

const chart = { title: "CPU <of> verbs", xLabel: "objects", yLabel: "us" }

describe("a chart", () => {
  it("has round numbers at its axes", () => {
    const svg = svgChart({
      ...chart,
      series: [
        {
          name: "get",
          points: [
            { x: 1, y: 3 },
            { x: 9, y: 47 },
          ],
        },
      ],
    })
    expect([...svg.matchAll(/text-anchor="end">([^<]+)</g)].map(([, tick]) => tick)).toEqual(["0", "10", "20", "30", "40", "50"])
    expect(svg).toContain("CPU &lt;of> verbs")
  })

  it("leaves out values that a logarithmic scale cannot show", () => {
    const points = [
      { x: 0, y: 5 },
      { x: 1000, y: 0 },
      { x: 1000, y: 10 },
      { x: 100_000, y: 90 },
    ]
    const svg = svgChart({ ...chart, logX: true, logY: true, series: [{ name: "get", points }] })
    expect(svg.match(/<circle/g)).toHaveLength(2)
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  it("keeps labels apart and inside", () => {
    const series = Array.from({ length: 12 }, (_, index) => ({
      name: `verb ${index}`,
      points: [
        { x: 1, y: 1 },
        { x: 2, y: 1 + index / 1000 },
      ],
    }))
    const svg = svgChart({ ...chart, series })
    const heights = [...svg.matchAll(/ y="([\d.]+)" fill="#[0-9a-f]+">verb/g)].map(([, y]) => Number(y))
    expect(heights).toHaveLength(12)
    for (const [index, y] of heights.entries()) if (index > 0) expect(y - (heights[index - 1] ?? 0)).toBeGreaterThanOrEqual(15.9)
    expect(Math.max(...heights)).toBeLessThan(420)
  })
})
