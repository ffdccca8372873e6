/**
 * The embedded store's backend on the simulated disk: the real engine, run by a worker with delays that may stall and
 * that dies with its process.
 */
import type { Backend } from "../../../runtime/storage/lmdb/backend.ts"
import type { ByteWriter } from "../../../runtime/storage/lmdb/batch.ts"
import { createEngine, type Engine } from "../../../runtime/storage/lmdb/engine.ts"
import { type Environment, metaKeys, readState, storeErrorOf } from "../../../runtime/storage/lmdb/environment.ts"
import { createReader, type Reader } from "../../../runtime/storage/lmdb/reader.ts"
import { StoreError } from "../../../runtime/storage/store.ts"
import { ProcessDied, type SimDisk } from "./disk.ts"
import type { SeededRandom } from "./random.ts"
import { turns } from "./turns.ts"

/** The faults of the storage worker of one process. */
export interface WorkerControl {
  /** No request is answered while this promise is pending. */
  stalled(): Promise<void> | undefined
  /** The process dies a few turns after the next answer, when some of its consequences have happened. */
  dieAfterAnswer: boolean
}

export interface BackendOptions {
  readonly disk: SimDisk
  readonly random: SeededRandom
  readonly control: WorkerControl
  /** Called when a crash point was reached. The process is dead afterwards. */
  readonly onDeath: () => void
  readonly alive: () => boolean
  /** Called when a compaction is requested: from then on nothing older is read. */
  readonly onCompact: (revision: number) => void
}

/** Replaces `openBackend`, with everything but the disk. */
export async function openSimBackend(options: BackendOptions): Promise<Backend> {
  const { alive, control, disk, random } = options
  let opened: { environment: Environment; reader: Reader; engine: Engine } | undefined = open(disk)
  let before: Promise<unknown> = Promise.resolve()
  await claim(options, opened.environment)
  function current() {
    if (opened === undefined) throw new StoreError("unavailable", "the simulated store could not be opened again")
    return opened
  }
  /**
   * Serves one request after the other, as the worker thread does. Requests of a dead process are never executed or
   * answered.
   */
  function request<T>(perform: (engine: Engine) => T): Promise<T> {
    const done = before.then(async () => {
      await turns(random.integer(3))
      await control.stalled()
      await reachedOnlyAlive(alive)
      try {
        return perform(current().engine)
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw storeErrorOf(error, "/nowhere")
        options.onDeath()
        return never<T>()
      } finally {
        await answering(options)
      }
    })
    before = done.catch(() => undefined)
    return done
  }
  return {
    reader: () => current().reader,
    state() {
      const { environment, reader } = current()
      reader.refresh()
      return readState(environment)
    },
    async commit(batch, length) {
      const { results, revision } = await request((engine) => engine.apply(Buffer.from(batch, 0, length)))
      return { results: bytesOf(results), revision }
    },
    compact(revision) {
      options.onCompact(revision)
      return request((engine) => engine.compact(revision))
    },
    sweep: () => request((engine) => engine.sweep()),
    tryRoom: (bytes) => request((engine) => engine.tryRoom(bytes)),
    async reopen() {
      opened = undefined
      await before
      opened = open(disk)
    },
    async close() {
      await before
      opened = undefined
    },
  }
}

function open(disk: SimDisk): { environment: Environment; reader: Reader; engine: Engine } {
  const environment = disk.open()
  // Two handles, as for main thread and worker.
  return { environment, reader: createReader(environment), engine: createEngine(disk.open()) }
}

/** Opening a store writes the owner's record, which also makes the data found there durable. */
async function claim({ onDeath }: BackendOptions, { meta, root }: Environment): Promise<void> {
  try {
    root.transactionSync(() => meta.putSync(metaKeys.owner, Buffer.from("the simulation")))
  } catch (error) {
    if (!(error instanceof ProcessDied)) throw storeErrorOf(error, "/nowhere")
    onDeath()
    await never()
  }
}

async function answering({ alive, control, onDeath, random }: BackendOptions): Promise<void> {
  await turns(random.integer(3))
  await reachedOnlyAlive(alive)
  if (!control.dieAfterAnswer) return
  control.dieAfterAnswer = false
  void turns(random.integer(3)).then(() => {
    if (alive()) onDeath()
  })
}

function bytesOf(results: ByteWriter): ArrayBuffer {
  return results.bytes.buffer
}

async function reachedOnlyAlive(alive: () => boolean): Promise<void> {
  if (!alive()) await never()
}

function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined)
}
