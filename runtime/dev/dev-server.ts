/**
 * Serves kinds while their author writes them: a change of schemas or TypeScript is generated, loaded and served by the
 * next server, on the same store and the same port. If generating, loading or starting fails, the fault is reported and
 * the previous server goes on.
 */
import { join } from "node:path"
import type { Clock } from "../base/clock.ts"
import { StartError } from "../base/start-error.ts"
import type { Launched, LaunchOptions } from "../launch/launch.ts"
import type { ApiFolder } from "../launch/user-api.ts"
import type { StopOptions } from "../server-stop.ts"
import { StoreError } from "../storage/store.ts"
import type { Gate } from "./gate.ts"
import { Settle } from "./settle.ts"
import { TreeWatch, type WatchFolder } from "./tree-watch.ts"

export interface DevOptions {
  /** The folders of schemas and of TypeScript that schemas name. Neither need exist. */
  readonly trees: readonly string[]
  /** The folder of generated code, which is not watched. */
  readonly out: string
  /** Writes generated code and prints faults. Resolves with whether it is complete. */
  readonly generate: () => Promise<boolean>
  /** Loads what is generated. Throws StartError. */
  readonly load: () => Promise<readonly ApiFolder[]>
  /** Starts a server of these kinds on the store that all servers share. */
  readonly launch: (how: Required<Pick<LaunchOptions, "folders" | "listen">>) => Promise<Launched>
  readonly gate: Gate
  readonly clock: Clock
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Default: the operating system's. */
  readonly watchFolder?: WatchFolder
}

export interface DevServer {
  /** The first server, whose URL, token and certificate all others have. */
  readonly launched: Launched
  /** Resolves when no change waits or is being worked on. */
  settled(): Promise<void>
  /** Ends the watches, then the server. The caller closes the store. */
  stop(options?: StopOptions): Promise<void>
}

/**
 * Called once. Resolves when the first server serves; its kinds are missing while they have faults and nothing was
 * generated before. Throws StartError when no server can start.
 */
export async function startDevServer(options: DevOptions): Promise<DevServer> {
  const loop = new DevLoop(options)
  const launched = await loop.begin()
  return { launched, settled: () => loop.settled(), stop: (how) => loop.stop(how) }
}

class DevLoop {
  private readonly watch: TreeWatch
  private readonly settle: Settle
  private files: readonly string[] = []
  private current: { readonly launched: Launched; readonly folders: readonly ApiFolder[] } | undefined
  private working: Promise<void> | undefined
  private waitingSinceMs: number | undefined
  /** The last round ended in a fault. */
  private faulty = false
  private closed = false

  constructor(private readonly options: DevOptions) {
    this.settle = new Settle(options.clock, (firstMs) => this.work(firstMs))
    this.watch = new TreeWatch({
      onChange: () => this.settle.changed(),
      onFault: options.printError,
      ...(options.watchFolder !== undefined && { watchFolder: options.watchFolder }),
    })
  }

  async begin(): Promise<Launched> {
    const first = Promise.resolve().then(() => this.first())
    // Changes made meanwhile belong to the next round.
    this.working = this.rounds(first.then(() => undefined))
    return first
  }

  private async first(): Promise<Launched> {
    this.look()
    this.faulty = !(await this.options.generate())
    return this.start(await this.firstFolders())
  }

  async settled(): Promise<void> {
    await this.working
  }

  async stop(how?: StopOptions): Promise<void> {
    this.closed = true
    this.settle.stop()
    this.watch.close()
    await this.settled()
    this.options.gate.beginClosing()
    await this.current?.launched.server.stop(how)
  }

  /** Runs one round after the other; changes during a round belong to the next one. */
  private work(firstMs: number): void {
    this.waitingSinceMs ??= firstMs
    this.working ??= this.rounds(Promise.resolve())
  }

  private async rounds(before: Promise<void>): Promise<void> {
    await before.catch(() => {
      this.closed = true
      this.watch.close()
    })
    while (this.waitingSinceMs !== undefined && !this.closed) {
      const sinceMs = this.waitingSinceMs
      this.waitingSinceMs = undefined
      try {
        await this.round(sinceMs)
      } catch (error) {
        this.options.printError(isExpected(error) ? error.message : String(error instanceof Error ? error.stack : error))
        this.refuse()
      }
    }
    this.working = undefined
  }

  private async round(sinceMs: number): Promise<void> {
    this.look()
    if (!(await this.options.generate())) return this.refuse()
    const folders = await this.options.load()
    this.look(folders)
    if (this.closed) return
    const changed = digestOf(folders) !== digestOf(this.current?.folders ?? [])
    if (changed) await this.replace(folders)
    const took = Math.round(this.options.clock.elapsedMs() - sinceMs)
    if (changed || this.faulty) this.options.print(`serving ${kindsText(folders)}, ${took} ms after the change`)
    this.faulty = false
  }

  private refuse(): void {
    this.faulty = true
    this.options.printError("what was served before is still served")
  }

  private async replace(folders: readonly ApiFolder[]): Promise<void> {
    const before = this.current
    await this.options.gate.duringChange(async () => {
      await before?.launched.server.stop()
      try {
        await this.start(folders)
      } catch (error) {
        if (before !== undefined) await this.start(before.folders)
        throw error
      }
    })
  }

  private async start(folders: readonly ApiFolder[]): Promise<Launched> {
    const launched = await this.options.launch({ folders, listen: this.options.gate.listen })
    this.current = { launched, folders }
    return launched
  }

  private async firstFolders(): Promise<readonly ApiFolder[]> {
    try {
      const folders = await this.options.load()
      this.look(folders)
      return folders
    } catch (error) {
      if (!isExpected(error)) throw error
      this.faulty = true
      this.options.printError(error.message)
      return []
    } finally {
      if (this.faulty) this.options.printError("until that is mended, only the built-in kinds and what was generated before are served")
    }
  }

  /** Also watches modules that the behaviours import, where they are outside of the folders. */
  private look(folders?: readonly ApiFolder[]): void {
    const { trees, out } = this.options
    const sources = folders?.flatMap((folder) => folder.sources)
    const known = [...trees, out].map((folder) => join(folder, "/"))
    if (sources !== undefined) this.files = sources.filter((path) => !known.some((folder) => path.startsWith(folder)))
    this.watch.refresh({ trees, files: this.files })
  }
}

function isExpected(error: unknown): error is Error {
  return error instanceof StartError || error instanceof StoreError
}

function digestOf(folders: readonly ApiFolder[]): string {
  return folders.map(({ digest }) => digest).join(" ")
}

function kindsText(folders: readonly ApiFolder[]): string {
  const count = folders.reduce((sum, { kinds }) => sum + kinds.length, 0)
  return `${count} ${count === 1 ? "kind" : "kinds"} of your own`
}
