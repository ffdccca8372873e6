/** Compares recorded responses about who a client is with those of this server. */
import { beforeAll, describe, expect, it } from "vitest"
import { buildBundle } from "../../scripts/freshness.mjs"
import { program } from "../support/program.ts"
import { compareExtension, type Comparison, extensionFolder, extensionMissing } from "./recorded-answers.ts"

/** Milliseconds for all scenarios: they take half a minute, more on a busy machine. */
const patience = 300_000
const why = extensionMissing ? ` (there is no ${extensionFolder})` : ""

/**
 * The servers of these scenarios ask a web hook what users may do. What is compared here holds where everything is
 * allowed as well, so they are started without it.
 */
const withoutHook = ["authn-certificates", "authn-oidc", "authn-oidc-sub"]
const scenarios = ["authn-always-allow", "authn-anonymous-off", ...withoutHook]

const start =
  'kept=""; for flag in {flags}; do case "$flag" in --authorization-webhook-*|--authorization-mode=Webhook) ;; *) kept="$kept $flag";; esac; done; ' +
  `exec ${program} serve --bind-address=127.0.0.1 --vendor=kubernetes --store=memory ` +
  "--secure-port={port} --data-dir={dir}/data --write-kubeconfig={dir}/kubeconfig $kept"

describe.skipIf(extensionMissing)(`authentication as recorded${why}`, () => {
  let compared: Comparison
  beforeAll(async () => {
    await buildBundle()
    compared = await compareExtension(start, "authn-[aco]*")
  }, patience)

  it.each(scenarios)("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})
