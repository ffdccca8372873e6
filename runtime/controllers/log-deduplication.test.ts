import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { deduplicateLog } from "./log-deduplication.ts"

function setUp() {
  const clock = createManualClock()
  const lines: [object, string][] = []
  const log = deduplicateLog({ warn: (values, text) => void lines.push([values, text]) }, clock)
  return { clock, lines, log }
}

test("the same fault is logged once a minute, with the number of suppressed repeats", () => {
  const { clock, lines, log } = setUp()
  for (let second = 0; second < 90; second++) {
    log.warn({ error: `server ${second % 3} is away` }, "tried again later")
    clock.advance(1000)
  }
  expect(lines).toEqual([
    [{ error: "server 0 is away" }, "tried again later"],
    [{ error: "server 0 is away", repeated: 59 }, "tried again later"],
  ])
})

test("faults of different objects and different faults are all logged", () => {
  const { lines, log } = setUp()
  log.warn({ key: "a", error: "no" }, "not collected")
  log.warn({ key: "b", error: "no" }, "not collected")
  log.warn({ key: "a", error: "no" }, "not emptied")
  log.warn({ key: "a", error: "no" }, "not collected")
  expect(lines).toHaveLength(3)
})

test("old faults are forgotten, so memory does not grow with the number of objects", () => {
  const { lines, log } = setUp()
  for (let object = 0; object < 3000; object++) log.warn({ key: `${object}` }, "not collected")
  log.warn({ key: "2999" }, "not collected")
  expect(lines).toHaveLength(3000)
  log.warn({ key: "0" }, "not collected")
  expect(lines).toHaveLength(3001)
})

test("a clock that is set back does not suppress anything for longer", () => {
  const clock = createManualClock()
  let setByMs = 0
  const lines: string[] = []
  const log = deduplicateLog({ warn: (_values, text) => void lines.push(text) }, { ...clock, nowMs: () => clock.nowMs() + setByMs })
  log.warn({}, "tried again later")
  setByMs = -3_600_000
  clock.advance(60_000)
  log.warn({}, "tried again later")
  expect(lines).toHaveLength(2)
})
