/** `orch-apiserver store stats`: the contents of a store and the space they take. */
import { programText } from "../base/program-text.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { Options } from "../options/table.ts"
import type { StoredValue } from "../storage/store.ts"
import type { ResourceTotals } from "../storage/tools/totals.ts"
import { storeFolder, storeRoot } from "../launch/data-dir.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeSwitch } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"
import { onStoreServers, storeOptions } from "./store-location.ts"
import { loadStoreValues, type StoreValues } from "./store-values.ts"

const usage = `${programText("store stats", "[--json]")}
  Shows, for the store below --data-dir: objects, bytes and the largest object of each resource, the length of the log, its oldest version, and
  how much of the file is free. With --store-servers: the resources, and the size that etcd reports. Servers may be running; everything is
  read once.
  --json   one JSON object`

/** Sizes count the stored values: encoded, without keys. */
export async function storeStats(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: json, rest } = takeSwitch(args, "json")
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(storeOptions)}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; --data-dir names the folder`)
  const values = await loadStoreValues({ kinds: await knownKinds(options), root: storeRoot(options["store-prefix"]) })
  const { facts, measure, resources } =
    options["store-servers"].length > 0 ? await ofServers(options, values) : await ofFolder(options, values)
  context.print(json ? JSON.stringify(measure) : [...columns(facts), "", ...columns(rowsOf(resources))].join("\n"))
  return 0
}

/** The measurements of one store, as JSON and as text. */
interface Stats {
  readonly measure: object
  readonly facts: readonly (readonly [string, string])[]
  readonly resources: readonly ResourceTotals[]
}

async function ofFolder(options: Options, values: StoreValues): Promise<Stats> {
  const { measureLmdb } = await import("../storage/lmdb/measure.ts")
  const store = storeFolder(options["data-dir"])
  const measure = await measureLmdb(store, (key) => values.resourceOf(key))
  const { compactedRevision, expiring, fileBytes, keys, log, pages, resources, revision } = measure
  const facts = [
    ["store", store],
    ["version", `${revision}, history from ${compactedRevision}`],
    ["keys", `${keys}, ${expiring} of them with a time to live`],
    ["log", `${log.records} records, ${sizeText(log.bytes)}; of the past: ${log.pastRecords} records, ${sizeText(log.pastBytes)}`],
    ["oldest record", log.oldest === undefined ? "none" : `version ${log.oldest.revision}, ${log.oldest.key}`],
    ["file", `${sizeText(fileBytes)}; ${pages.free} of ${pages.total} pages of ${sizeText(pages.bytes)} are free`],
  ] as const
  return { measure: { store, ...measure }, facts, resources }
}

function ofServers(options: Options, values: StoreValues): Promise<Stats> {
  return onStoreServers(options, async (open) => {
    const { walkStore } = await import("../storage/tools/walk.ts")
    const { createTotals } = await import("../storage/tools/totals.ts")
    const totals = createTotals((key) => values.resourceOf(key))
    const onValue = ({ key, value }: StoredValue): void => totals.add(key, value.length)
    const { keys, revision } = await walkStore(open, { prefix: storeRoot(options["store-prefix"]), onValue })
    const { compactedRevision, fault, sizeBytes } = await open.status()
    const store = options["store-servers"].join(",")
    const resources = totals.resources()
    const facts = [
      ["store", store],
      ["version", `${revision}, history from ${compactedRevision}`],
      ["keys", String(keys)],
      ["file", `${sizeText(sizeBytes)}, of the member that answered`],
      ["fault", fault ?? "none"],
    ] as const
    const measure = { store, revision, compactedRevision, keys, fileBytes: sizeBytes, ...(fault !== undefined && { fault }), resources }
    return { measure, facts, resources }
  })
}

function rowsOf(resources: readonly ResourceTotals[]): readonly (readonly string[])[] {
  const rows = resources.map(({ resource, count, bytes, largest }) => [
    resource,
    String(count),
    sizeText(bytes),
    sizeText(bytes / count),
    `${sizeText(largest.bytes)} ${largest.key}`,
  ])
  return [["RESOURCE", "OBJECTS", "BYTES", "MEAN", "LARGEST"], ...rows]
}

/** Pads cells to the width of their column. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((sofar, row) => row.map((cell, at) => Math.max(cell.length, sofar[at] ?? 0)), [])
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const

function sizeText(bytes: number): string {
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
