/** Compares recorded responses about who a client is, and what it may do, with this server's responses. */
import { beforeAll, describe, expect, it } from "vitest"
import { buildBundle } from "../../scripts/freshness.mjs"
import { program } from "../support/program.ts"
import { compareExtension, type Comparison, extensionFolder, extensionMissing, recordedScenarios } from "./recorded-answers.ts"

/** Milliseconds for all scenarios: they take half a minute, more on a busy machine. */
const patience = 300_000
const scenarios = extensionMissing ? [] : recordedScenarios(extensionFolder).filter((name) => /^(authn|authz|impersonate)/.test(name))
const why = extensionMissing ? ` (there is no ${extensionFolder})` : ""

const start =
  `exec ${program} serve --bind-address=127.0.0.1 --vendor=kubernetes --store=memory ` +
  "--secure-port={port} --data-dir={dir}/data --write-kubeconfig={dir}/kubeconfig {flags}"

describe.skipIf(extensionMissing)(`authentication and authorization as recorded${why}`, () => {
  let compared: Comparison
  beforeAll(async () => {
    await buildBundle()
    compared = await compareExtension(start, "[ai][um][tp]*")
  }, patience)

  it.each(scenarios)("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})
