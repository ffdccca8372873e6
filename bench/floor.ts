/**
 * How near is the server to the limit that node sets? Runs the same load in turns on it and on a bare node:http2 server
 * that answers with as many bytes out of a constant buffer, over HTTP/2: single objects, pages of 500 and whole lists.
 * Shows the smallest CPU and the most answers per second of several rounds.
 * Run: npm run bench -- floor
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { configMapsIn, createConfigMaps, makeNamespaces } from "./support/config-maps.ts"
import type { ConstantPlan } from "./support/constant-server.ts"
import { type Measured, measured, openLoad } from "./support/load.ts"
import type { RequestPlan } from "./support/load-plans.ts"
import { openOptions } from "./support/options.ts"
import { type ServerProcess, startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 2000, full: 10_000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const rounds = options.number("rounds", { small: 2, full: 5 })
const seconds = options.number("seconds", { small: 1, full: 3 })
options.done()

const list = configMapsIn("floor")
const asked: Readonly<Record<string, RequestPlan>> = {
  get: { method: "GET", path: `${list}/object-000007`, clients: 16, seconds },
  "page of 500": { method: "GET", path: `${list}?limit=500`, clients: 1, seconds },
  list: { method: "GET", path: `${list}?resourceVersion=0`, clients: 4, seconds },
}

const dataDir = mkdtempSync(join(tmpdir(), "bench-floor-"))
const ours = await startServerProcess({ store: "lmdb", dataDir })
const load = openLoad(ours)
await makeNamespaces(load, "floor")
await createConfigMaps(ours, load, { namespace: "floor", count: objects, bytes })
const bare = await startConstantServer(await lengths())
const bareLoad = openLoad(bare)
for (const [name, plan] of Object.entries(asked)) {
  const both: { readonly ours: Measured[]; readonly bare: Measured[] } = { ours: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    both.ours.push(await measured(ours, load, plan))
    both.bare.push(await measured(bare, bareLoad, plan))
  }
  printRow({ asked: name, ...best("ours", both.ours), ...best("bare", both.bare) })
}
for (const each of [load, bareLoad]) each.close()
await bare.stop()
await ours.stop()
rmSync(dataDir, { recursive: true })

/** Lengths of the answers, by path. */
async function lengths(): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const { path } of Object.values(asked)) {
    const { bytes: length } = await load.requests({ method: "GET", path, clients: 1, count: 1 })
    found[path] = length
  }
  return found
}

async function startConstantServer(lengthOf: ConstantPlan["bytes"]): Promise<ServerProcess> {
  const pem = (name: string): string => readFileSync(join(dataDir, "pki", name), "utf8")
  const child = fork(fileURLToPath(new URL("support/constant-server.ts", import.meta.url)), { execArgv: ["--import", "tsx"] })
  child.send({ key: pem("apiserver.key"), certificate: pem("apiserver.crt"), bytes: lengthOf } satisfies ConstantPlan)
  const [port]: unknown[] = await once(child, "message")
  if (typeof port !== "number") throw new Error("the constant server must tell its port")
  return {
    ...ours,
    pid: child.pid ?? 0,
    port,
    async stop() {
      child.disconnect()
    },
  }
}

function best(name: string, runs: readonly Measured[]): Record<string, number> {
  return {
    [`${name}CpuUs`]: Math.min(...runs.map(({ cpuUs }) => cpuUs)),
    [`${name}PerSecond`]: Math.max(...runs.map(({ perSecond }) => perSecond)),
  }
}
