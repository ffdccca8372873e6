/** `orch-apiserver store stats`: what a store holds and what it takes. */
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { LmdbMeasure } from "../storage/lmdb/measure.ts"
import { storeFolder, storeRoot } from "../store-folder.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeSwitch } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"
import { loadStoreValues } from "./store-values.ts"

const usage = `orch-apiserver store stats [--json]
  Of the store below --data-dir: objects, bytes and the largest object of each resource, the length of the log, its oldest version, and
  how much of the file is free. The server may be running; the whole log is read once.
  --json   one JSON object`

/** Sizes are of the values as they are stored: encoded, without their keys. */
export async function storeStats(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: json, rest } = takeSwitch(args, "json")
  const { options, positionals, help } = optionsOf(rest, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["data-dir", "store-prefix", "api", "config"])}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; --data-dir names the folder`)
  const { measureLmdb } = await import("../storage/lmdb/measure.ts")
  const values = await loadStoreValues({ kinds: await knownKinds(options), root: storeRoot(options["store-prefix"]) })
  const folder = storeFolder(options["data-dir"])
  const measure = await measureLmdb(folder, (key) => values.resourceOf(key))
  context.print(json ? JSON.stringify({ store: folder, ...measure }) : table(folder, measure))
  return 0
}

function table(folder: string, measure: LmdbMeasure): string {
  const { compactedRevision, expiring, fileBytes, keys, log, pages, resources, revision } = measure
  const rows = resources.map(({ resource, count, bytes, largest }) => [
    resource,
    String(count),
    sizeText(bytes),
    sizeText(bytes / count),
    `${sizeText(largest.bytes)} ${largest.key}`,
  ])
  const facts = [
    ["store", folder],
    ["version", `${revision}, history from ${compactedRevision}`],
    ["keys", `${keys}, ${expiring} of them with a time to live`],
    ["log", `${log.records} records, ${sizeText(log.bytes)}; of the past: ${log.pastRecords} records, ${sizeText(log.pastBytes)}`],
    ["oldest record", log.oldest === undefined ? "none" : `version ${log.oldest.revision}, ${log.oldest.key}`],
    ["file", `${sizeText(fileBytes)}; ${pages.free} of ${pages.total} pages of ${sizeText(pages.bytes)} are free`],
  ]
  return [...columns(facts), "", ...columns([["RESOURCE", "OBJECTS", "BYTES", "MEAN", "LARGEST"], ...rows])].join("\n")
}

/** Cells padded to the width of their column. */
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
