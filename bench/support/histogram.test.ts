import { describe, expect, it } from "vitest"
import { createHistogram } from "./histogram.ts"

describe("a histogram", () => {
  it("reports percentiles within 3 % of the exact value, and the maximum exactly", () => {
    const histogram = createHistogram()
    for (let ms = 1; ms <= 1000; ms++) histogram.record(ms)
    expect(histogram.percentile(0.5) / 500).toBeCloseTo(1, 1)
    expect(Math.abs(histogram.percentile(0.99) / 990 - 1)).toBeLessThan(0.03)
    expect(histogram.percentile(1)).toBe(1000)
    expect(histogram.maxMs()).toBe(1000)
  })

  it("is 0 when nothing was recorded", () => expect(createHistogram().percentile(0.99)).toBe(0))

  it("keeps values beyond its buckets in the last one", () => {
    const histogram = createHistogram()
    histogram.record(1e12)
    histogram.record(0)
    expect([histogram.count(), histogram.percentile(0.1), histogram.maxMs()]).toEqual([2, 0.001, 1e12])
  })
})
