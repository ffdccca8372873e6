/**
 * Watches folders and everything below them, and single files. Each folder has a watch of its own: node's watch of a
 * whole tree misses files that editors replace by renaming. Reports that something changed, not which file: the caller
 * reads all files again.
 */
import { type BigIntStats, readdirSync, statSync, watch } from "node:fs"
import { basename, dirname, join } from "node:path"

/** Watches the entries of one folder. `changed` gets the name of an entry; null where the system does not name it. */
export type WatchFolder = (
  folder: string,
  on: { readonly changed: (name: string | null) => void; readonly failed: () => void },
) => { close(): void }

export interface TreeWatchOptions {
  /** Called for each change. */
  readonly onChange: () => void
  /** Called with a sentence when the system refuses to watch a folder, once per folder. */
  readonly onFault: (text: string) => void
  /** Default: the operating system's. */
  readonly watchFolder?: WatchFolder
}

/** The watched paths: folders with everything below them, and files. Neither need exist. */
export interface Watched {
  readonly trees: readonly string[]
  readonly files: readonly string[]
}

interface OpenWatch {
  /** Changes when a folder is removed and made again. */
  readonly identity: string
  /** The names that matter; undefined: all. */
  names: ReadonlySet<string> | undefined
  readonly watch: { close(): void }
}

/** Files that editors leave beside a file while they write it, and that the generator writes beside the schemas. */
const unrelated = /^(\..*|.*~|.*\.(swp|swo|swx|tmp|bak)|4913|dialect\.schema\.json)$/

/** Created once per program. Watches nothing before the first `refresh`. */
export class TreeWatch {
  private readonly open = new Map<string, OpenWatch>()
  private readonly reported = new Set<string>()
  private readonly watchFolder: WatchFolder
  private closed = false

  constructor(private readonly options: TreeWatchOptions) {
    this.watchFolder = options.watchFolder ?? systemWatch
  }

  /** How many folders are watched. */
  get size(): number {
    return this.open.size
  }

  /**
   * Called before the watched files are read: a change that comes later is reported. Watches new folders and ends the
   * watches of deleted ones.
   */
  refresh(watched: Watched): void {
    if (this.closed) return
    const wanted = foldersOf(watched)
    for (const [folder, open] of this.open) {
      if (wanted.has(folder) && identityOf(folder) === open.identity) continue
      open.watch.close()
      this.open.delete(folder)
    }
    for (const [folder, names] of wanted) this.watch(folder, names)
  }

  /** Ends all watches. No change is reported afterwards. */
  close(): void {
    this.closed = true
    for (const { watch: one } of this.open.values()) one.close()
    this.open.clear()
  }

  private watch(folder: string, names: ReadonlySet<string> | undefined): void {
    const before = this.open.get(folder)
    if (before !== undefined) {
      before.names = names
      return
    }
    const identity = identityOf(folder)
    if (identity === undefined) return
    try {
      const made = this.watchFolder(folder, {
        changed: (name) => this.onEntry(folder, name),
        failed: () => this.drop(folder, made),
      })
      this.open.set(folder, { identity, names, watch: made })
    } catch (error) {
      if (identityOf(folder) === undefined || this.reported.has(folder)) return
      this.reported.add(folder)
      this.options.onFault(faultText(folder, error))
    }
  }

  private onEntry(folder: string, name: string | null): void {
    const names = this.open.get(folder)?.names
    if (this.closed || (name !== null && (names === undefined ? unrelated.test(name) : !names.has(name)))) return
    this.options.onChange()
  }

  private drop(folder: string, made: OpenWatch["watch"]): void {
    if (this.closed || this.open.get(folder)?.watch !== made) return
    made.close()
    this.open.delete(folder)
    this.options.onChange()
  }
}

/** The folders to watch, each with the names that matter; undefined for all names. */
function foldersOf({ trees, files }: Watched): ReadonlyMap<string, ReadonlySet<string> | undefined> {
  const folders = new Map<string, Set<string> | undefined>()
  for (const tree of trees) for (const folder of foldersBelow(tree)) folders.set(folder, undefined)
  for (const path of [...trees, ...files]) {
    const [folder, name] = nearestFolder(path)
    if (folders.has(folder)) folders.get(folder)?.add(name)
    else folders.set(folder, new Set([name]))
  }
  return folders
}

/** Skips hidden folders and packages, as `readSchemas` does. */
function foldersBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    return [folder, ...below.flatMap((entry) => foldersBelow(join(folder, entry.name)))]
  } catch {
    // Not there, or gone while it was read.
    return []
  }
}

/** The folder in which `path`, or the first missing folder above it, will appear, and the name to look for. */
function nearestFolder(path: string): readonly [string, string] {
  let [folder, name] = [dirname(path), basename(path)]
  while (identityOf(folder) === undefined && dirname(folder) !== folder) [folder, name] = [dirname(folder), basename(folder)]
  return [folder, name]
}

/** Undefined where there is no folder. An inode number alone may be used again at once. */
function identityOf(folder: string): string | undefined {
  const stats: BigIntStats | undefined = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return stats?.isDirectory() === true ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : undefined
}

function systemWatch(folder: string, on: Parameters<WatchFolder>[1]): { close(): void } {
  const watcher = watch(folder, (_event, name) => on.changed(name))
  watcher.on("error", on.failed)
  return watcher
}

function faultText(folder: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  const reason =
    code === "ENOSPC" || code === "EMFILE"
      ? "the system allows no more watches (on Linux: sysctl fs.inotify.max_user_watches, fs.inotify.max_user_instances)"
      : error instanceof Error
        ? error.message
        : String(error)
  return `changes in ${folder} are not noticed: ${reason}`
}
