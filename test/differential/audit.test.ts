/** Compares recorded audit events, and the audit settings that stop a start, with this server's. */
import { readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { buildBundle } from "../../scripts/freshness.mjs"
import { program } from "../support/program.ts"
import {
  compareExtension,
  type Comparison,
  extensionFolder,
  extensionMissing,
  recordedScenarios,
  withServerKinds,
} from "./recorded-answers.ts"

const scenarios = extensionMissing ? [] : recordedScenarios(extensionFolder).filter((name) => /^(audit-|start-audit$)/.test(name))
const why = extensionMissing ? ` (there is no ${extensionFolder})` : ""
/** Milliseconds: 22 servers are started, one after the other. */
const patience = 600_000

if (!extensionMissing) await buildBundle()

const command =
  `exec ${program} serve --bind-address=127.0.0.1 --vendor=kubernetes --store=memory ` +
  "--secure-port={port} --data-dir={dir}/data --write-kubeconfig={dir}/kubeconfig {flags}"

describe.skipIf(extensionMissing)(`audit as recorded${why}`, () => {
  let folder: string
  let compared: Comparison
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "audit-recorded-"))
    const recordings = await withServerKinds(folder, (kinds) => {
      // There is no ValidatingAdmissionWebhook to turn off yet; the scenario is about other settings.
      kinds["plugins-off"] = {}
    })
    for (const scenario of scenarios) awaitAllEvents(recordings, scenario)
    compared = await compareExtension(command, "*audit*", recordings)
  }, patience)
  afterAll(() => rm(folder, { recursive: true }))

  it.each(scenarios)("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})

interface RecordedStep {
  readonly id: string
  audit?: number
}

/**
 * Some steps wait for fewer events than were recorded, and would compare an unfinished log: the last line of a request
 * is written just after its answer.
 */
function awaitAllEvents(recordings: string, name: string): void {
  const file = join(recordings, "scenarios", `${name}.yaml`)
  // Both are formats of the recordings.
  const scenario = parse(readFileSync(file, "utf8")) as { readonly steps: readonly RecordedStep[] }
  const answers = JSON.parse(readFileSync(join(recordings, "expected.json"), "utf8")) as Recorded
  for (const step of scenario.steps) {
    const events = answers.scenarios[name]?.[step.id]?.audit
    if (step.audit !== undefined && Array.isArray(events)) step.audit = Math.max(step.audit, events.length)
  }
  writeFileSync(file, stringify(scenario))
}

interface Recorded {
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, { readonly audit?: unknown }>>>>
}
