/**
 * Compares recorded responses of the reference server, for everything that is served here, with the responses of this
 * server on each embedded store.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { defaultCacheLimits } from "../../runtime/storage/watch-cache/options.ts"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { createHttpClient, type HttpClient } from "../support/http-client.ts"
import { type InProcess, startInProcess } from "../support/in-process.ts"
import { compareWithRecorded, type Comparison, ofForgottenVersions, recordedScenarios, recordingsMissing } from "./recorded-answers.ts"

const stores = ["memory", "lmdb"] as const
const scenarios = recordingsMissing ? [] : recordedScenarios()
const why = recordingsMissing ? " (the recordings are not beside this checkout)" : ""

describe.skipIf(recordingsMissing).each(stores)(`answers as recorded, on %s${why}`, (store) => {
  let cluster: Cluster
  let compared: Comparison

  beforeAll(async () => {
    cluster = await startCluster({ store })
    const authorityFile = join(cluster.folder, "ca.crt")
    await writeFile(authorityFile, cluster.caPem)
    compared = await compareWithRecorded({ url: cluster.url, token: cluster.token, authorityFile, only: "*" })
  }, 180_000)
  afterAll(() => cluster?.remove())

  it.each(scenarios.filter((name) => !ofForgottenVersions.test(name)))("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})

describe.skipIf(recordingsMissing).each(stores)(`answers requests for compacted versions as recorded, on %s${why}`, (store) => {
  let running: InProcess
  let folder: string
  let compared: Comparison

  beforeAll(async () => {
    running = await startInProcess({ store, vendor: "kubernetes" })
    folder = await mkdtemp(join(tmpdir(), "differential-"))
    const authorityFile = join(folder, "ca.crt")
    await writeFile(authorityFile, running.authority)
    const oldVersion = await forgottenVersion(running)
    compared = await compareWithRecorded({
      url: `https://127.0.0.1:${running.port}`,
      token: running.token,
      authorityFile,
      only: "version-gone",
      oldVersion,
    })
  }, 60_000)
  afterAll(async () => {
    await running?.stop()
    await rm(folder, { recursive: true })
  })

  it.each(scenarios.filter((name) => ofForgottenVersions.test(name)))("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})

/**
 * A version that neither the store nor the watch cache's window has any more: the window is limited by minutes and by
 * the number of events.
 */
async function forgottenVersion(running: InProcess): Promise<string> {
  const client = createHttpClient({ protocol: "http2", port: running.port, authority: running.authority })
  try {
    const before = await running.store.revision()
    await createConfigMaps({ client, token: running.token, count: defaultCacheLimits.windowEvents })
    await running.clock.advance(2 * defaultCacheLimits.windowMs)
    await createConfigMaps({ client, token: running.token, count: 1 })
    await running.store.compact({ revision: await running.store.revision() })
    return String(before)
  } finally {
    client.close()
  }
}

async function createConfigMaps({ client, token, count }: { client: HttpClient; token: string; count: number }): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "filler-" } }))
  for (let left = count; left > 0; left -= 100) {
    const request = { method: "POST", path: "/api/v1/namespaces/default/configmaps", headers, body }
    const answers = await Promise.all(Array.from({ length: Math.min(left, 100) }, () => client.send(request)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  }
}
