/** `orch-apiserver backup FILE` and `restore FILE`: one snapshot of the embedded store, taken while a server runs or not. */
import { mkdirSync } from "node:fs"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import type { LmdbSummary } from "../storage/lmdb/backup.ts"
import { storeFolder } from "../store-folder.ts"
import { type CommandContext, optionsOf } from "./context.ts"

/** Writes FILE whole or not at all, and only after it was checked. */
export async function backup(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = fileAndFolder(
    args,
    context,
    "orch-apiserver backup FILE\n  Copies the store to FILE and checks every entry of the copy. The server may be running. FILE must not be there yet;\n  it appears whole or not at all, with a checksum that restore compares.",
  )
  if (asked === undefined) return 0
  const { backupLmdb } = await import("../storage/lmdb/backup.ts")
  context.print(summaryText(asked.file, await backupLmdb(storeFolder(asked.dataDir), asked.file)))
  return 0
}

/** Only into a data folder without a store. */
export async function restore(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = fileAndFolder(
    args,
    context,
    "orch-apiserver restore FILE\n  Makes FILE, written by backup, the store of a data folder that has none. Checksum and every entry are checked first; the store is there\n  whole or not at all.",
  )
  if (asked === undefined) return 0
  mkdirSync(asked.dataDir, { recursive: true, mode: 0o700 })
  const { restoreLmdb } = await import("../storage/lmdb/backup.ts")
  context.print(summaryText(asked.dataDir, await restoreLmdb(asked.file, storeFolder(asked.dataDir))))
  return 0
}

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
