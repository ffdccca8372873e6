/** Every scenario as one test, against every kind of server that a caller names. */
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import type { VendorName } from "../../../runtime/base/vendor.ts"
import { createHttpClient, type HttpClient, type Protocol } from "../../support/http-client.ts"
import { type InProcess, startInProcess, type StoreName } from "../../support/in-process.ts"
import { runScenario } from "./run.ts"
import { loadScenarios, type Scenario } from "./scenario.ts"

export interface ApiSuiteOptions {
  readonly store: StoreName
  readonly protocol: Protocol
  /** Vendor of the scenarios that do not ask for one. */
  readonly vendor: VendorName
  /** `--http2-implementation`; default `own`. */
  readonly http2?: "own" | "node"
  /** Folders of the scenarios; default all. */
  readonly areas?: readonly string[]
}

interface Running {
  readonly at: InProcess
  readonly client: HttpClient
}

/** Called once per test file. */
export function apiSuite(options: ApiSuiteOptions): void {
  const servers = new Map<string, Promise<Running>>()
  afterAll(async () => {
    for (const running of servers.values()) {
      const { at, client } = await running
      client.close()
      await at.stop()
    }
  })

  /** Scenarios share a server unless they ask for options of their own. */
  function serverFor(scenario: Scenario, vendor: VendorName): Promise<Running> {
    const asked = { store: options.store, vendor, ...(options.http2 !== undefined && { http2: options.http2 }), ...scenario.server }
    const key = JSON.stringify(asked)
    let running = servers.get(key)
    if (running === undefined) {
      running = startInProcess(asked).then((at) => ({
        at,
        client: createHttpClient({ protocol: options.protocol, port: at.port, authority: at.authority }),
      }))
      servers.set(key, running)
    }
    return running
  }

  for (const [index, scenario] of loadScenarios(join(import.meta.dirname, "..")).entries()) {
    if (options.areas !== undefined && !options.areas.some((area) => scenario.name.startsWith(`${area}/`))) continue
    const test = scenario.fault === undefined ? it : it.fails
    test(scenario.name, async () => {
      const vendor = scenario.vendor ?? options.vendor
      const { at, client } = await serverFor(scenario, vendor)
      const namespace = `s${index}-${scenario.name.replace(/[^a-z0-9]+/g, "-").slice(0, 40)}`
      await makeNamespace({ at, client }, namespace)
      const logged = at.log.length
      await runScenario(scenario, { at, client, vendor, namespace }).catch((error: unknown) => {
        throw withLog(error, at.log.slice(logged))
      })
      expect(
        at.log.slice(logged).filter((line) => line.startsWith("ERROR") || line.includes(" ERROR ")),
        "the server met no fault of its own",
      ).toEqual([])
      for (const { resource, matches } of await at.server.cache.verify())
        expect(matches, `the cache of ${resource} equals the store`).toBe(true)
    })
  }
}

async function makeNamespace({ at, client }: Running, name: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }))
  const headers = { authorization: `Bearer ${at.token}`, "content-type": "application/json" }
  const { status } = await client.send({ method: "POST", path: "/api/v1/namespaces", headers, body })
  if (status !== 201) throw new Error(`the namespace of the scenario could not be made: ${status}`)
}

/** Adds the server's log lines to the error of a failed scenario. */
function withLog(error: unknown, lines: readonly string[]): unknown {
  if (error instanceof Error && lines.length > 0) {
    error.message += `\nthe server's log:\n${lines.join("")}`
    error.stack = error.message
  }
  return error
}
