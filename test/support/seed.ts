/**
 * The seed of all randomness in tests. Each run draws one and prints it before the first test, so that a failed run can
 * be repeated: `ORCH_TEST_SEED=12345 npm test`.
 */
import fc from "fast-check"

const variable = "ORCH_TEST_SEED"
const seedsBelow = 2 ** 31

/** The seed of this run. Throws when the variable is not an integer. */
export function testSeed(): number {
  const seed = Number(process.env[variable])
  if (!Number.isInteger(seed) || seed < 0 || seed >= seedsBelow) throw new Error(`${variable} must be a whole number below ${seedsBelow}`)
  return seed
}

/**
 * Called by the runner for each of its projects, before it starts its workers. They and the programs they start inherit
 * these variables.
 */
export function setup(): void {
  if (process.env["ORCH_TEST_REUSE_SLABS"] !== undefined) return
  process.env["ORCH_TEST_REUSE_SLABS"] = "1"
  process.env[variable] ??= String(Math.floor(Math.random() * seedsBelow))
  console.log(`the seed of this run is ${testSeed()}; ${variable}=${testSeed()} repeats what it draws`)
}

/** Called by the runner for each file: seeds the property tests. */
export function seedProperties(): void {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed() })
}
