import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { AuthenticationError } from "./authenticate.ts"
import { refusalLog } from "./refusal-log.ts"

function setUp() {
  const clock = createManualClock()
  const warnings: object[] = []
  const details: object[] = []
  const told = refusalLog({ clock, log: { warn: (values) => void warnings.push(values), debug: (values) => void details.push(values) } })
  const refuse = (logged: string): void => told(new AuthenticationError("invalid bearer token", logged))
  return { clock, warnings, details, refuse }
}

test("a reason is a warning once a minute, which counts the refusals since the one before; all others are for debugging", () => {
  const { clock, warnings, details, refuse } = setUp()
  for (let second = 0; second < 90; second++) {
    refuse("expired")
    clock.advance(1000)
  }
  expect(warnings).toEqual([{ error: "expired" }, { error: "expired", unlogged: 59 }])
  expect(details).toHaveLength(88)
})

test("strangers who choose the reasons get ten warnings a minute", () => {
  const { clock, warnings, details, refuse } = setUp()
  for (let each = 0; each < 1000; each++) refuse(`issuer ${each}`)
  expect(warnings).toHaveLength(10)
  clock.advance(60_000)
  refuse("issuer 0")
  expect(warnings.slice(10)).toEqual([{ error: "issuer 0", unlogged: 990 }])
  expect(details).toHaveLength(990)
})

test("a long reason is cut", () => {
  const { warnings, refuse } = setUp()
  refuse("x".repeat(5000))
  expect(JSON.stringify(warnings).length).toBeLessThan(1100)
})
