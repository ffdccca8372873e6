/** `orch-apiserver store migrate`: rewrites stored objects for the present schemas. */
import { programText } from "../base/program-text.ts"
import { systemClock } from "../base/clock.ts"
import { systemRandom } from "../base/random.ts"
import { vendorProfile } from "../base/vendor.ts"
import { storageFormatOf, storeRoot } from "../launch/data-dir.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { Options } from "../options/table.ts"
import { KindTable } from "../registry/kinds.ts"
import { type Migration, type MigrationCounts, openMigration } from "../registry/migrate-objects.ts"
import { storedKinds, StoredShapes } from "../registry/stored-shapes.ts"
import type { Kind } from "../schema/kind.ts"
import { type Store, StoreError } from "../storage/store.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeSwitch } from "./flags.ts"
import { knownKinds } from "./known-kinds.ts"
import { storeLocationOf, storeOptions } from "./store-location.ts"

const usage = `${programText("store migrate", "[--dry-run] [--drop]")}
  Rewrites the objects of each kind whose schema has changed since they were written, so that their fields keep their names whatever
  their numbers are now; also when the storage version has changed and conversion.* of the schemas says how. Stop the servers first, and
  give it the options of the server: --data-dir or --store-servers, --api, --vendor, --storage-media-type.
  When it ends early, the next call goes on where it ended; no server starts before. At the end the history of the store is
  dropped, because it has the old numbers: clients that resume a watch get 410 Expired and list again.
  --dry-run   read and convert everything, count it, and write nothing
  --drop      also rewrite objects with fields that the schemas do not have, or not with the type of the stored value;
              without it they are refused`

/** Resolves with 1 when objects have fields that would be dropped. */
export async function storeMigrate(args: readonly string[], context: CommandContext): Promise<number> {
  const { on: dryRun, rest } = takeSwitch(args, "dry-run")
  const { on: drop, rest: others } = takeSwitch(rest, "drop")
  const { options, positionals, help } = optionsOf(others, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp([...storeOptions, "vendor", "storage-media-type"])}`)
    return 0
  }
  if (positionals.length > 0) throw new OptionError(`unexpected argument ${JSON.stringify(positionals[0])}; --data-dir names the folder`)
  const kinds = new KindTable(await knownKinds(options))
  const place = storeLocationOf(options, { clock: systemClock, random: systemRandom, options })
  const store = await place.openSource()
  try {
    return await migrate({ context, dryRun, drop, kinds, options, store })
  } finally {
    await store.close()
  }
}

interface Run {
  readonly context: CommandContext
  readonly dryRun: boolean
  readonly drop: boolean
  readonly kinds: KindTable
  readonly options: Options
  readonly store: Store
}

interface KindMigration {
  readonly kind: Kind
  readonly migration: Migration
  readonly counts: MigrationCounts
}

async function migrate(run: Run): Promise<number> {
  const { context, dryRun, drop } = run
  // Counts all kinds before writing any: an unreadable object stops the command in time.
  const planned = await plan(run)
  if (planned.length === 0) {
    context.print("nothing to migrate: the schemas are those that wrote the store")
    return 0
  }
  const losing = planned.filter(({ counts }) => counts.dropped.size > 0)
  if (losing.length > 0 && !drop && !dryRun) {
    for (const { kind, counts } of losing) context.printError(droppedText(kind, counts))
    context.printError("nothing was written; --drop rewrites the objects without these fields, or add them to the schemas")
    return 1
  }
  let rewritten = 0
  for (const { kind, migration, counts: expected } of planned) {
    const counts = dryRun ? expected : await migration.run()
    rewritten += counts.rewritten
    context.print(`${nameOf(kind)}: ${counts.objects} objects, ${counts.rewritten} ${dryRun ? "would be" : "were"} rewritten`)
    if (counts.dropped.size > 0) context.printError(droppedText(kind, counts))
  }
  if (dryRun) context.print("nothing was written (--dry-run)")
  else if (rewritten > 0) await run.store.compact({ revision: await run.store.revision() })
  return dryRun && losing.length > 0 && !drop ? 1 : 0
}

async function plan({ kinds, options, store }: Run): Promise<readonly KindMigration[]> {
  const prefix = storeRoot(options["store-prefix"])
  const format = storageFormatOf(options["storage-media-type"])
  const records = await new StoredShapes({ store, prefix, format }).records()
  const how = { store, prefix, kinds, format, vendor: vendorProfile(options.vendor), nowMs: systemClock.nowMs }
  const planned: KindMigration[] = []
  for (const kind of storedKinds(kinds)) {
    const kept = records.get(kind.storage.path)
    const migration = kept === undefined ? undefined : await openMigration(how, kind, kept)
    if (migration !== undefined) planned.push({ kind, migration, counts: await migration.count() })
  }
  const unknown = [...records.keys()].filter((path) => !kinds.all().some((kind) => kind.storage.path === path))
  if (planned.length === 0 && unknown.length > 0)
    throw new StoreError("unavailable", `no known kind is stored at ${unknown.join(", ")}; --api names the folder that has it`)
  return planned
}

function nameOf({ group, version, kind }: Kind): string {
  return `${group === "" ? "" : `${group}/`}${version} ${kind}`
}

function droppedText(kind: Kind, { dropped }: MigrationCounts): string {
  const fields = [...dropped].map(([path, objects]) => `${path} (in ${objects} objects)`)
  return `${nameOf(kind)}: the schema does not have, or not with this type, ${fields.join(", ")}`
}
