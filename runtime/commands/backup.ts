/** `orch-apiserver backup FILE` and `restore FILE`: one snapshot of the embedded store, taken while a server runs or not. */
import { mkdirSync } from "node:fs"
import { OptionError } from "../options/command-line.ts"
import { optionsHelp } from "../options/help.ts"
import { storeFolder } from "../store-folder.ts"
import { type CommandContext, optionsOf } from "./context.ts"

/** Writes FILE whole or not at all, and only after it was checked. */
export async function backup(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = fileAndFolder(
    args,
    context,
    "orch-apiserver backup FILE\n  Copies the store to FILE and checks the copy. The server may be running.",
  )
  if (asked === undefined) return 0
  const { backupLmdb } = await import("../storage/lmdb/backup.ts")
  const { revision, keys } = await backupLmdb(storeFolder(asked.dataDir), asked.file)
  context.print(`${asked.file}: ${keys} keys at revision ${revision}`)
  return 0
}

/** Only into a data folder without a store. */
export async function restore(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = fileAndFolder(
    args,
    context,
    "orch-apiserver restore FILE\n  Makes FILE, written by backup, the store of a new data folder.",
  )
  if (asked === undefined) return 0
  mkdirSync(asked.dataDir, { recursive: true, mode: 0o700 })
  const { restoreLmdb } = await import("../storage/lmdb/backup.ts")
  const { revision, keys } = await restoreLmdb(asked.file, storeFolder(asked.dataDir))
  context.print(`${asked.dataDir}: ${keys} keys at revision ${revision}`)
  return 0
}

function fileAndFolder(args: readonly string[], context: CommandContext, usage: string): { file: string; dataDir: string } | undefined {
  const { options, positionals, help } = optionsOf(args, context)
  if (help) {
    context.print(`${usage}\n\n${optionsHelp(["data-dir", "config"])}`)
    return undefined
  }
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new OptionError(`one file is needed: ${usage.split("\n")[0]}`)
  return { file, dataDir: options["data-dir"] }
}
