/**
 * What do custom objects of 1 KB cost beside ConfigMaps of that size? The server's CPU and throughput for each verb, of
 * a definition with the fields of a ConfigMap, and of a typical one with defaults, list keys and rules. Kinds take
 * turns in every round; the figures are the best of all rounds. The goal is at most 1.15 times the CPU of a ConfigMap.
 * Run: npm run bench -- custom-objects
 */
import { makeNamespaces } from "./support/config-maps.ts"
import { openDefinitionClient } from "./support/definition-load.ts"
import { openLoad } from "./support/load.ts"
import { customKinds, type PhaseFigures, type PhaseName, phaseNames, runPhase, subjectsOf } from "./support/object-phases.ts"
import { openOptions } from "./support/options.ts"
import { startServerProcess } from "./support/server-process.ts"
import { printRow } from "./support/tell.ts"

const options = openOptions()
const objects = options.number("objects", { small: 1000, full: 5000 })
const bytes = options.number("bytes", { small: 1024, full: 1024 })
const clients = options.number("clients", { small: 16, full: 16 })
const requests = options.number("requests", { small: 2000, full: 10_000 })
const watchers = options.number("watchers", { small: 50, full: 100 })
const rounds = options.number("rounds", { small: 3, full: 5 })
const only = options.word("only", phaseNames.join(","))
options.done()

const goal = 1.15

const server = await startServerProcess({ store: "lmdb", options: ["--vendor=kubernetes"] })
const definitions = await openDefinitionClient(server)
for (const kind of customKinds()) await definitions.install(kind)
definitions.close()
const load = openLoad(server)
await makeNamespaces(load, "custom")
const subjects = subjectsOf("custom", bytes)
for (const name of phaseNames) if (name === "create" || only.split(",").includes(name)) await phase(name)
load.close()
await server.stop()

/** Runs the phase for every subject in turns; the first round prepares the server. */
async function phase(name: PhaseName): Promise<void> {
  const found = new Map<string, PhaseFigures[]>(subjects.map((subject) => [subject.name, []]))
  for (let round = 0; round <= rounds; round++)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const figures = await runPhase(server, load, { name, subject, sizes: { objects, clients, requests, watchers }, round })
      if (round > 0) found.get(subject.name)?.push(figures)
    }
  const [configMap, ...custom] = [...found].map(([kind, figures]) => ({ kind, ...best(figures) }))
  if (configMap === undefined) return
  for (const { kind, cpuUs, perSecond } of custom) {
    const cpuRatio = cpuUs / configMap.cpuUs
    printRow({
      verb: name,
      kind,
      cpuUs,
      configMapCpuUs: configMap.cpuUs,
      cpuRatio,
      goal,
      reached: cpuRatio <= goal,
      perSecond,
      configMapPerSecond: configMap.perSecond,
      throughputRatio: perSecond / configMap.perSecond,
    })
  }
}

function best(rounds: readonly PhaseFigures[]): PhaseFigures {
  return {
    cpuUs: Math.min(...rounds.map(({ cpuUs }) => cpuUs)),
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
  }
}
