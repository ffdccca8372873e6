/**
 * How far ahead of the Go original is the server with custom objects of 1 KB, in CPU per request, and is it as far
 * ahead as with ConfigMaps? Both serve the same definitions and take turns in each phase: this server on lmdb, the
 * original on an etcd of its own, whose work counts. Needs ORCH_BENCH_REFERENCE, the folder of the original (run.sh),
 * and Go.
 * Run: npm run bench -- custom-objects-compare
 */
import { makeNamespaces } from "./support/config-maps.ts"
import { openDefinitionClient } from "./support/definition-load.ts"
import { type Load, type Measurable, openLoad } from "./support/load.ts"
import { customKinds, type PhaseFigures, type PhaseName, phaseNames, runPhase, type Subject, subjectsOf } from "./support/object-phases.ts"
import { openOptions } from "./support/options.ts"
import { startReference } from "./support/reference-server.ts"
import { startServerProcess, type Target } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 500, full: 5000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const clients = options.number("clients", { small: 16, full: 16 })
const requests = options.number("requests", { small: 1000, full: 10_000 })
const watchers = options.number("watchers", { small: 50, full: 100 })
const rounds = options.number("rounds", { small: 2, full: 5 })
const only = options.word("only", phaseNames.join(","))
options.done()

const sizes = { objects, clients, requests, watchers }
const subjects = subjectsOf("custom", bytes)
const unmeasured: PhaseFigures = { cpuUs: Number.POSITIVE_INFINITY, perSecond: 0 }

interface Side {
  readonly server: Measurable
  readonly load: Load
}

const folder = process.env["ORCH_BENCH_REFERENCE"]
if (folder === undefined) console.log("skipped: ORCH_BENCH_REFERENCE does not name the folder of run.sh")
else await compare(folder)

async function compare(reference: string): Promise<void> {
  const [theirs, ours] = [await startReference(reference), await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes"] })]
  const sides = { theirs: await prepared(theirs), ours: await prepared(ours) }
  for (const name of phaseNames) {
    if (name !== "create" && !only.split(",").includes(name)) continue
    let configMapRatio: number | undefined
    for (const subject of subjects) {
      const [their, our] = await inTurns(name, subject, [sides.theirs, sides.ours])
      const cpuRatio = their.cpuUs / our.cpuUs
      configMapRatio ??= cpuRatio
      printRow({
        verb: name,
        kind: subject.name,
        oursCpuUs: our.cpuUs,
        theirsCpuUs: their.cpuUs,
        cpuRatio,
        goal: configMapRatio,
        reached: cpuRatio >= configMapRatio,
        ours: our.perSecond,
        theirs: their.perSecond,
        throughputRatio: our.perSecond / their.perSecond,
      })
    }
  }
  for (const { load } of Object.values(sides)) load.close()
  await Promise.all([theirs.stop(), ours.stop()])
}

async function prepared(server: Target & Measurable): Promise<Side> {
  const definitions = await openDefinitionClient(server)
  for (const kind of customKinds()) await definitions.install(kind)
  definitions.close()
  const load = openLoad(server)
  await makeNamespaces(load, "custom")
  return { server, load }
}

/** Returns the best of all rounds of each side; the first round prepares the servers. */
async function inTurns(name: PhaseName, subject: Subject, sides: readonly [Side, Side]): Promise<[PhaseFigures, PhaseFigures]> {
  const best: [PhaseFigures, PhaseFigures] = [unmeasured, unmeasured]
  for (let round = 0; round <= rounds; round++)
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { server, load } = sides[at]
      const { cpuUs, perSecond } = await runPhase(server, load, { name, subject, sizes, round })
      if (round > 0) best[at] = { cpuUs: Math.min(best[at].cpuUs, cpuUs), perSecond: Math.max(best[at].perSecond, perSecond) }
    }
  return best
}
