/**
 * Compares the answers of kube-apiserver 1.30.14 with this server's answers: some of the recorded cases of every group.
 * `npm run real-answers` takes them all.
 */
import { expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { buildBundle } from "../../scripts/freshness.mjs"
import { faultsOf, readLedger, readReasons, unusedReasons } from "./ledger.ts"
import { recordedAnswers, recordedGroups, subsetOf } from "./recorded.ts"
import { compareProfiles } from "./run.ts"

/** Share of the cases: some 3,000. */
const share = 0.19
/** Milliseconds: it takes twenty seconds, more on a busy machine. */
const patience = 300_000

it("answers as the real server, but for what is listed", { timeout: patience }, async () => {
  await buildBundle()
  const groups = subsetOf(recordedGroups(), share)
  const outcome = await compareProfiles(groups, recordedAnswers)
  const sent = new Set(groups.flatMap(({ cases }) => cases.map(({ id }) => id)))
  const faults = faultsOf(outcome.found, readLedger(), readReasons(), (id) => sent.has(id.replace(" (default plugins)", "")))
  expect([...outcome.refusedSetups, ...faults]).toEqual([])
})

it("gives reasons that are used, and stand among the deviations", () => {
  const reasons = readReasons()
  const document = readFileSync(new URL("../../docs/DEVIATIONS.md", import.meta.url), "utf8").replace(/\s+/g, " ")
  expect(unusedReasons(readLedger(), reasons)).toEqual([])
  expect(
    Object.entries(reasons)
      .filter(([, { see }]) => !document.includes(see))
      .map(([name]) => name),
  ).toEqual([])
})
