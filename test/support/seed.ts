/**
 * The seed of everything that tests draw at random. One is drawn for each run of the tests and printed before the first of them, so that a run that
 * found something can be had again: `ORCH_TEST_SEED=12345 npm test`.
 */
import fc from "fast-check"

const variable = "ORCH_TEST_SEED"
const seedsBelow = 2 ** 31

/** The seed of this run. Throws when the variable holds something else than a whole number. */
export function testSeed(): number {
  const seed = Number(process.env[variable])
  if (!Number.isInteger(seed) || seed < 0 || seed >= seedsBelow) throw new Error(`${variable} must be a whole number below ${seedsBelow}`)
  return seed
}

/** Called by the runner once, before it starts its workers: they inherit the seed. */
export function setup(): void {
  process.env[variable] ??= String(Math.floor(Math.random() * seedsBelow))
  console.log(`the seed of this run is ${testSeed()}; ${variable}=${testSeed()} repeats what it draws`)
}

/** Called by the runner for each file: properties draw from the seed. */
export function seedProperties(): void {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed() })
}
