/**
 * A disk for the embedded store's engine: the tables of one LMDB environment in memory, as LMDB shows them to a
 * process, and their state after a power cut. A transaction is atomic: until its flush none of it survives. Failures
 * and crashes are set in advance.
 */
import type { Environment, Table } from "../../../runtime/storage/lmdb/environment.ts"
import { OrderedMap } from "../../../runtime/storage/ordered-map.ts"

type Rows = OrderedMap<Buffer, Buffer>
const tableNames = ["log", "index", "expiry", "meta"] as const
type TableName = (typeof tableNames)[number]
export type Image = Readonly<Record<TableName, Rows>>

/** Thrown through the engine when the process dies inside it; no request is answered any more. */
export class ProcessDied extends Error {}

/** Point at which the next process dies. `write`: after this many writes, inside a transaction. */
export type CrashPoint =
  | { readonly at: "write"; readonly writes: number }
  | { readonly at: "before-flush" }
  | { readonly at: "after-flush" }

export interface SimDisk {
  /** Faults for the next transactions. */
  readonly faults: {
    /** Writes fail for lack of space. */
    full: boolean
    /**
     * The next flush fails. `data`: before anything references the bytes that it wrote. `commit`: with the new state in
     * place, but not certainly on disk.
     */
    failFlush: "data" | "commit" | undefined
    crash: CrashPoint | undefined
    /**
     * Flushes are acknowledged and not done, as by disks with a broken cache. Used only to show that the simulation
     * finds this.
     */
    lying: boolean
  }
  /** Descriptions of the store's violations. */
  readonly breaches: string[]
  /** Opens it for a process. Counts as a read of the actual data, after which writes may begin again. */
  open(): Environment
  /** Drops everything that was not flushed. */
  powerCut(): void
  /** The durable content. */
  durable(): Image
}

/** Called once per simulation. `onDurable` is called after every flush that wrote. */
export function createDisk(onDurable: (image: Image) => void): SimDisk {
  let visible = emptyImage()
  let durable = visible
  /** A flush has failed, and no process has opened the store since. */
  let suspect = false
  const faults: SimDisk["faults"] = { full: false, failFlush: undefined, crash: undefined, lying: false }
  const breaches: string[] = []

  function countWrite(): void {
    const { crash } = faults
    if (crash?.at !== "write") return
    faults.crash = crash.writes > 1 ? { at: "write", writes: crash.writes - 1 } : undefined
    if (crash.writes <= 1) throw new ProcessDied("at a write")
  }
  function flush(written: Image): void {
    if (suspect) breaches.push("a write reached the disk after a flush had failed, before the store was opened again")
    if (faults.full) throw failure(28, "No space left on device")
    if (faults.crash?.at === "before-flush") die()
    const fails = faults.failFlush
    faults.failFlush = undefined
    if (fails !== undefined) {
      suspect = true
      if (fails === "commit") visible = written
      throw failure(5, "Input/output error")
    }
    visible = written
    if (!faults.lying) durable = written
    onDurable(written)
    if (faults.crash?.at === "after-flush") die()
  }
  function die(): never {
    faults.crash = undefined
    throw new ProcessDied("at a flush")
  }
  return {
    faults,
    breaches,
    open() {
      suspect = false
      return openEnvironment({ visible: () => visible, countWrite, flush })
    },
    powerCut() {
      visible = durable
    },
    durable: () => durable,
  }
}

function failure(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function emptyImage(): Image {
  const rows = (): Rows => new OrderedMap<Buffer, Buffer>(undefined, Buffer.compare)
  return { log: rows(), index: rows(), expiry: rows(), meta: rows() }
}

function copyOf(image: Image): Image {
  return { log: image.log.clone(), index: image.index.clone(), expiry: image.expiry.clone(), meta: image.meta.clone() }
}

interface Shared {
  visible(): Image
  countWrite(): void
  flush(written: Image): void
}

/** One process's handles. Outside transactions it sees one state per turn, unless it requests a newer one. */
function openEnvironment({ visible, countWrite, flush }: Shared): Environment {
  let seen = visible()
  let writing: Image | undefined
  let changed = false
  let reading = false
  /** A view of the state lasts until the turn of the event loop ends, as LMDB's read transactions do. */
  function look(): Image {
    if (!reading) {
      reading = true
      seen = visible()
      setImmediate(() => {
        reading = false
      })
    }
    return seen
  }
  const current = (name: TableName): Rows => (writing ?? look())[name]
  function change(name: TableName, action: (rows: Rows) => unknown): void {
    countWrite()
    changed = true
    action(current(name))
  }
  function table(name: TableName) {
    const get = (key: Uint8Array): Buffer | undefined => current(name).get(Buffer.from(key))
    return {
      get,
      getBinary: get,
      getBinaryFast: get,
      putSync: (key: Uint8Array, value: Uint8Array) => change(name, (rows) => rows.set(Buffer.from(key), Buffer.from(value))),
      removeSync: (key: Uint8Array) => change(name, (rows) => rows.delete(Buffer.from(key))),
      *getRange({ start, end, limit = Number.POSITIVE_INFINITY }: { start: Uint8Array; end?: Uint8Array; limit?: number }) {
        let count = 0
        for (const [key, value] of current(name).entries(Buffer.from(start))) {
          if (count++ >= limit || (end !== undefined && Buffer.compare(key, end) >= 0)) return
          yield { key, value }
        }
      },
    }
  }
  const root = {
    transactionSync<T>(action: () => T): T {
      const written = copyOf(visible())
      writing = written
      changed = false
      try {
        const answer = action()
        if (changed) flush(written)
        seen = visible()
        return answer
      } finally {
        writing = undefined
      }
    },
    resetReadTxn() {
      seen = visible()
    },
    readerCheck() {
      return 0
    },
    async close() {},
  }
  const tables = { log: table("log"), index: table("index"), expiry: table("expiry"), meta: table("meta") }
  // Engine and reader use only this part of the package's large types.
  return { dir: "", root: root as unknown as Environment["root"], ...(tables as unknown as Record<TableName, Table>) }
}
