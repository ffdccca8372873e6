import { join } from "node:path"
import { expect, it } from "vitest"
import { serviceRanges } from "../../../runtime/behaviours/services/ranges.ts"
import { isRecord } from "./matchers.ts"
import { loadScenarios } from "./scenario.ts"

/** The words of a service that request a number of a range. */
const requestedNumbers = ["clusterIP", "nodePort", "healthCheckNodePort"]

/** What `value` requests, at any depth. */
function numbersIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([word, inner]) =>
    requestedNumbers.includes(word) && (typeof inner === "string" || typeof inner === "number") ? [String(inner)] : numbersIn(inner),
  )
}

it("no scenario requests an address or a node port that another may have been given by chance", () => {
  const scenarios = loadScenarios(join(import.meta.dirname, "..")).filter((scenario) => scenario.server === undefined)
  const asked = scenarios.flatMap(({ name, steps }) =>
    steps.flatMap(({ type, fields }) => (type === "do" ? numbersIn(fields["body"]).map((number) => ({ name, number })) : [])),
  )
  expect(asked.length).toBeGreaterThan(5)

  // The ranges of the servers that scenarios share. A number outside both is refused whatever is free.
  const { addresses, nodePorts } = serviceRanges({
    "service-cluster-ip-range": ["10.0.0.0/22"],
    "service-node-port-range": { first: 30000, last: 32767 },
  })
  const ranges = [...addresses.values(), nodePorts]
  const byChance = asked.filter(({ number }) => ranges.some((range) => (range.indexOf(number) ?? 0) >= range.band))
  expect(byChance).toEqual([])
})
