/**
 * On any input of a client, the built program continues to serve other clients, returns no 500, survives, and frees its
 * memory. `npm run fuzz -- --minutes N` continues with other seeds; `found-cases.ts` keeps the cases that found
 * something.
 */
import { expect, it } from "vitest"
import { describeCase } from "./case.ts"
import { Drawer } from "./draw.ts"
import { describeFound, hunt } from "./hunt.ts"
import { heldMsOfTests } from "./run.ts"

const seed = Number(process.env.FUZZ_SEED ?? 1)
const cases = Number(process.env.FUZZ_CASES ?? 600)

it(`takes ${cases} cases of seed ${seed}`, { timeout: 1_800_000 }, async () => {
  const findings: string[] = []
  const taken = await hunt({
    seed,
    first: 0,
    heldMs: heldMsOfTests,
    goesOn: (number) => number < cases && findings.length < 3,
    async found(found) {
      findings.push(await describeFound(seed, found))
    },
  })
  expect(findings.join("\n")).toBe("")
  expect(taken).toBe(cases)
})

it("draws the same cases for the same seed", async () => {
  const [one, other] = [await Drawer.make(), await Drawer.make()]
  const types = new Set<string>()
  for (let number = 0; number < 60; number++) {
    const drawn = await one.draw(seed, number)
    expect(describeCase(await other.draw(seed, number))).toBe(describeCase(drawn))
    types.add(drawn.type)
  }
  expect([...types].sort()).toEqual(["backend", "bytes", "request"])
})
