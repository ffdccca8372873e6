/**
 * `orch-apiserver backup FILE` and `restore FILE`: a snapshot of the embedded store, taken with or without a running
 * server.
 */
import { makeFolder } from "../base/make-folder.ts"
import { programText } from "../base/program-text.ts"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { LmdbSummary } from "../storage/lmdb/backup.ts"
import { storeFolder } from "../launch/data-dir.ts"
import { type CommandContext, optionsOf } from "./context.ts"
import { takeFlags } from "./flags.ts"

/** Writes FILE completely or not at all, and only after checking it. */
export async function backup(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = fileAndFolder(
    args,
    context,
    `${programText("backup", "FILE")}\n  Copies the store to FILE and checks every entry of the copy. The server may be running. FILE must not exist yet;\n  it is written completely or not at all, with a checksum that restore verifies.`,
  )
  if (asked === undefined) return 0
  const { backupLmdb } = await import("../storage/lmdb/backup.ts")
  context.print(summaryText(asked.file, await backupLmdb(storeFolder(asked.dataDir), asked.file)))
  return 0
}

/** Restores into a data folder without a store only. */
export async function restore(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, rest } = takeFlags(args, ["bump-revision"])
  const asked = fileAndFolder(
    rest,
    context,
    `${programText("restore", "FILE [--bump-revision N]")}
  Makes FILE, written by backup, the store of a data folder that has none. Checks the checksum and every entry first; creates the
  store completely or not at all.
  --bump-revision   raises the version by N, and history begins there. With N greater than the number of writes since the backup, clients
                    that saw any of these writes get 410 Expired and list again, instead of mistaking new versions for old ones`,
  )
  if (asked === undefined) return 0
  const bumpRevision = wholeNumber("--bump-revision", values["bump-revision"] ?? "0")
  makeFolder(asked.dataDir)
  const { restoreLmdb } = await import("../storage/lmdb/backup.ts")
  context.print(summaryText(asked.dataDir, await restoreLmdb(asked.file, storeFolder(asked.dataDir), { bumpRevision })))
  return 0
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > bumpMax)
    throw new OptionError(`${flag}: ${JSON.stringify(text)} will not do: expected a whole number up to ${bumpMax}`)
  return value
}

/** Far below the numbers at which versions lose precision: leaves room for over a thousand such restores. */
const bumpMax = 1_000_000_000_000

function summaryText(where: string, { contentHash, keys, revision }: LmdbSummary): string {
  return `${where}: ${keys} keys at version ${revision}\nsha256 of keys and values: ${contentHash}`
}

function fileAndFolder(args: readonly string[], context: CommandContext, usage: string): { file: string; dataDir: string } | undefined {
  const { options, positionals, help } = optionsOf(args, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["data-dir", "config"])}`)
    return undefined
  }
  if (options["store-servers"].length > 0)
    throw new OptionError(
      "backup and restore are for the store below --data-dir; etcd has its own: etcdctl snapshot save, etcdutl snapshot restore",
    )
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new OptionError(`one file is needed: ${usage.split("\n")[0]}`)
  return { file, dataDir: options["data-dir"] }
}
