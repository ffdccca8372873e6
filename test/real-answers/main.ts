/**
 * `npm run real-answers`: sends the recorded cases to the built program, and fails on differences that are not in
 * `differences.tsv`. It prints each class of differences with its smallest example, and how much is the same.
 */
import { readFileSync } from "node:fs"
import { matchesGlob } from "node:path"
import { parseArgs } from "node:util"
import type { Facts } from "./compared.ts"
import { faultsOf, keyOf, open, readLedger, readReasons, reasonOf, unusedReasons, writeLedger } from "./ledger.ts"
import { addRecorded, bodyOf, type Case, type Group, recordedAnswers, recordedGroups } from "./recorded.ts"
import { reportOf } from "./report.ts"
import { compareGroups, compareProfiles } from "./run.ts"

const { values } = parseArgs({
  options: {
    /** Only cases whose id fits one of these patterns: `Pod/*`, `Job/hand/*,CronJob/*`. */
    only: { type: "string" },
    /** Writes the differences into differences.tsv. */
    write: { type: "boolean", default: false },
    /** Shows differences on purpose, too. */
    all: { type: "boolean", default: false },
    /** Adds cases that `npm run differ -- --record FILE` has found to the recorded ones. */
    add: { type: "string" },
    /** Prints the requests of a case and the recorded answers. */
    show: { type: "string" },
    /** Uses a running server, a fresh one with the options of run.ts, at this port of 127.0.0.1; needs `token`. */
    port: { type: "string" },
    token: { type: "string" },
  },
})

if (values.add !== undefined) {
  const added = JSON.parse(readFileSync(values.add, "utf8")) as { groups: Group[]; answers: Record<string, readonly Facts[]> } // As differ writes it.
  addRecorded(added.groups, added.answers)
}
const groups = recordedGroups()
process.exitCode = values.show === undefined ? await compare(chosen(groups, values.only)) : show(values.show)

function chosen(all: readonly Group[], only: string | undefined): readonly Group[] {
  if (only === undefined) return all
  const patterns = only.split(",")
  const fits = ({ id }: Case): boolean => patterns.some((pattern) => pattern === id || matchesGlob(id, pattern.replace(/\*$/, "**")))
  return all
    .filter(({ cases }) => cases.some(fits))
    .map((group) => ({ ...group, cases: group.cases.filter((one) => one.always === true || fits(one)) }))
}

function show(id: string): number {
  const group = groups.find(({ cases }) => cases.some((one) => one.id === id))
  const steps = group?.cases.find((one) => one.id === id)?.steps ?? []
  for (const step of steps) console.log(JSON.stringify({ ...step, b: bodyOf(step.b, group?.bases) }, undefined, 1))
  for (const profile of ["bare", "default"] as const) {
    const answers = recordedAnswers(profile)[id]
    if (answers !== undefined) console.log(`${profile}: ${JSON.stringify(answers, undefined, 1)}`)
  }
  return steps.length === 0 ? 1 : 0
}

async function compare(those: readonly Group[]): Promise<number> {
  const port = values.port === undefined ? undefined : Number(values.port)
  const outcome =
    port === undefined
      ? await compareProfiles(those, recordedAnswers)
      : await compareGroups({ port, token: values.token ?? "" }, those, recordedAnswers("bare"))
  const [ledger, reasons] = [readLedger(), readReasons()]
  const sent = new Set(those.flatMap(({ cases }) => cases.map(({ id }) => id)))
  const ran = (id: string): boolean => (port === undefined ? sent.has(id.replace(" (default plugins)", "")) : sent.has(id))
  if (values.write) writeLedger(outcome.found, ledger, reasons, ran)
  console.log(reportOf(outcome, (one) => reasonOf(one, reasons) !== open, values.all))
  if (values.write) return 0
  const faults = faultsOf(outcome.found, ledger, reasons, ran)
  if (values.only === undefined) faults.push(...unusedReasons(ledger, reasons).map((name) => `no difference refers to the reason ${name}`))
  const listed = outcome.found.filter((one) => ledger.get(keyOf(one)) === open).length
  console.log([...faults, `${faults.length} faults; ${listed} differences are listed as open`].join("\n"))
  return faults.length + outcome.refusedSetups.length === 0 ? 0 : 1
}
