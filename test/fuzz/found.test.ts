/** The built program handles every found case; `found-cases.ts` describes them. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { foundCases } from "./found-cases.ts"
import { FuzzRun, heldMsOfTests } from "./run.ts"

let run: FuzzRun

beforeAll(async () => {
  run = await FuzzRun.start(heldMsOfTests)
}, 120_000)
afterAll(() => run.stop())

test.each(foundCases)("$name", { timeout: 120_000 }, async ({ cases }) => {
  for (const one of cases) expect(await run.take(one)).toBeUndefined()
})
