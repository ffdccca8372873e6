/**
 * How long does a server take from its start to `/readyz`, and to its first list, with 150,000 objects of 1 KB in its
 * store? `--objects=150000 --rounds=5` are the published sizes. Uses the bundle in dist/.
 * Run: npm run bench -- start-up
 */
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, get } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { systemClock } from "../runtime/base/clock.ts"
import { openLmdbStore } from "../runtime/storage/lmdb/lmdb-store.ts"
import { storeFolder } from "../runtime/launch/data-dir.ts"
import { openRegistry } from "../test/support/open-registry.ts"
import { openOptions } from "./support/options.ts"
import { cpuSeconds, residentMb, startServerProcess, type Target } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 150_000, full: 150_000 })
const rounds = options.number("rounds", { small: 3, full: 5 })
options.done()

const dataDir = mkdtempSync(join(tmpdir(), "bench-start-up-"))
try {
  await fillStore()
  // The first start creates the certificate and does not count.
  for (let round = 0; round <= rounds; round++) await measure(round)
} finally {
  rmSync(dataDir, { recursive: true })
}

async function measure(round: number): Promise<void> {
  const started = performance.now()
  const server = await startServerProcess({ store: "lmdb", dataDir })
  const agent = new Agent({ ca: server.authority, keepAlive: true })
  while ((await statusOf(server, agent, "/readyz")) !== 200) await wait(5)
  const readyMs = performance.now() - started
  await statusOf(server, agent, "/api/v1/configmaps?limit=500&resourceVersion=0")
  const firstPageMs = performance.now() - started
  const resident = residentMb(server)
  const cpuMs = cpuSeconds(server.pid) * 1000
  agent.destroy()
  await server.stop()
  if (round > 0) printRow({ objects, round, servingMs: server.startMs, readyMs, firstPageMs, cpuMs, residentMb: resident })
}

/** Resolves with the status when the whole body has arrived. */
function statusOf({ port, token }: Target, agent: Agent, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    get({ host: "127.0.0.1", port, path, agent, headers }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0))
    }).once("error", reject)
  })
}

/** ConfigMaps as the server stores them, in 100 namespaces. */
async function fillStore(): Promise<void> {
  const { handle, close } = await openRegistry()
  const { codec, key } = await handle("configmaps")
  const store = await openLmdbStore({ dir: storeFolder(dataDir), clock: systemClock })
  const data = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`key-${index}`, "lorem ipsum dolor sit amet ".repeat(3)]))
  const atOnce = 1000
  for (let first = 0; first < objects; first += atOnce) {
    const writes = Array.from({ length: Math.min(atOnce, objects - first) }, (_, offset) => {
      const index = first + offset
      const namespace = `namespace-${index % 100}`
      const name = `config-map-${index}`
      const metadata = {
        name,
        namespace,
        uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { app: `app-${index % 50}` },
      }
      const { value } = codec.encode({ kind: "ConfigMap", apiVersion: "v1", metadata, data: { ...data, index: String(index) } })
      return { type: "put" as const, key: key(namespace, name), value }
    })
    await store.commit({ checks: [], writes })
  }
  await store.close()
  await close()
}
