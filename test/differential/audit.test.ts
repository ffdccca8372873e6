/** Compares recorded audit events, and which settings of audit stop a start, with those of this server. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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
    compared = await compareExtension(command, "*audit*", recordings)
  }, patience)
  afterAll(() => rm(folder, { recursive: true }))

  it.each(scenarios)("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})
