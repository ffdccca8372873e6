/** Compares recorded responses about definitions, custom objects and rules with this server's, on every store. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildBundle } from "../../scripts/freshness.mjs"
import { type Cluster, startCluster } from "../clients/cluster.ts"
import { type EtcdServer, forEachEtcd, startEtcd } from "../support/etcd.ts"
import { program } from "../support/program.ts"
import {
  compareExtension,
  compareWithRecorded,
  type Comparison,
  extensionFolder,
  extensionMissing,
  recordedScenarios,
  recordingsMissing,
} from "./recorded-answers.ts"

const scenarios = recordingsMissing ? [] : recordedScenarios().filter((name) => name.startsWith("crd-"))
const ofExtension = extensionMissing ? [] : recordedScenarios(extensionFolder).filter((name) => /^(crd|cel)-/.test(name))
const why = recordingsMissing ? " (the recordings are not beside this checkout)" : ""
const whyExtension = extensionMissing ? ` (there is no ${extensionFolder})` : ""
/** Milliseconds for all scenarios on one store: they take 20 seconds, more on a busy machine. */
const patience = 300_000

if (!extensionMissing) await buildBundle()

/** The command of a server with the store of `options`, as the program of the recordings starts it. */
const command = (options: string): string =>
  `exec ${program} serve --bind-address=127.0.0.1 --anonymous-auth=false --vendor=kubernetes ${options} ` +
  "--secure-port={port} --data-dir={dir}/data --write-kubeconfig={dir}/kubeconfig {flags}"

describe.skipIf(extensionMissing).each(["memory", "lmdb"])(`definitions and rules as recorded, on %s${whyExtension}`, (store) => {
  let compared: Comparison
  beforeAll(async () => {
    compared = await compareExtension(command(`--store=${store}`))
  }, patience)

  it.each(ofExtension)("%s", (scenario) => {
    expect(compared.faults(scenario)).toEqual([])
  })
})

forEachEtcd((binary) => {
  let etcd: EtcdServer
  beforeAll(async () => {
    etcd = await startEtcd(binary)
  })
  afterAll(() => etcd?.dispose())

  describe.skipIf(recordingsMissing)(`definitions as recorded, on etcd ${binary.version}${why}`, () => {
    let cluster: Cluster
    let compared: Comparison
    beforeAll(async () => {
      cluster = await startCluster({ "store-servers": [etcd.url] })
      const authorityFile = join(cluster.folder, "ca.crt")
      await writeFile(authorityFile, cluster.caPem)
      compared = await compareWithRecorded({ url: cluster.url, token: cluster.token, authorityFile, only: "crd-*" })
    }, patience)
    afterAll(() => cluster?.remove())

    it.each(scenarios)("%s", (scenario) => {
      expect(compared.faults(scenario)).toEqual([])
    })
  })

  describe.skipIf(extensionMissing)(`definitions and rules as recorded, on etcd ${binary.version}${whyExtension}`, () => {
    let compared: Comparison
    beforeAll(async () => {
      // Each server of the run has its own prefix.
      compared = await compareExtension(command(`--store-servers=${etcd.url} --store-prefix=/server-{port}`))
    }, patience)

    it.each(ofExtension)("%s", (scenario) => {
      expect(compared.faults(scenario)).toEqual([])
    })
  })
})
