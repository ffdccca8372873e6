/**
 * Tools that some suites need on the machine. Without them, the suites are skipped with the reason in their name; a run
 * that may skip nothing fails instead.
 */
import { describe } from "vitest"

/** Set by `.ci/run`, which installs everything that any suite needs. */
export const skipsNothing = process.env.ORCH_TEST_SKIPS_NOTHING !== undefined

/** Called for a missing requirement, with the way to install it. Throws where nothing may be skipped. */
export function reportMissing(what: string): void {
  if (skipsNothing) throw new Error(`${what}; this run may skip nothing`)
}

/**
 * `describe` for a suite that runs only where `isThere`; elsewhere it is skipped, and `missing` is part of its name.
 * Throws where nothing may be skipped.
 */
export function describeWhere(isThere: boolean, missing: string): (name: string, suite: () => void) => void {
  if (!isThere) reportMissing(missing)
  return (name, suite) => describe.skipIf(!isThere)(isThere ? name : `${name} (${missing})`, suite)
}
