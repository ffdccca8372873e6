/**
 * The parts that a store opens and closes together: environment, process lock, reader and worker. After a failure they
 * are opened again.
 */
import { StoreError } from "../store.ts"
import { refuseCutOff } from "./cut-off.ts"
import type { Environment, EnvironmentOptions } from "./environment.ts"
import { dataFile, openEnvironment, readState } from "./environment.ts"
import type { State } from "./layout.ts"
import { acquireProcessLock, type ProcessLock } from "./process-lock.ts"
import type { Reader } from "./reader.ts"
import { createReader } from "./reader.ts"
import type { WorkerLink } from "./worker-link.ts"
import { startWorker } from "./worker-link.ts"

export interface Backend {
  /** Throws StoreError "unavailable" while nothing is open. */
  reader(): Reader
  /** The durable state; ahead of the published revision while the results of a batch are on their way back. */
  state(): State
  commit(batch: ArrayBuffer, length: number): Promise<{ results: ArrayBuffer; revision: number }>
  compact(revision: number): Promise<void>
  /** Runs one step of a compaction; returns whether it was the last. */
  sweep(): Promise<boolean>
  tryRoom(bytes: number): Promise<void>
  /** Closes and opens everything except the process lock. If that fails, nothing is open and it may be called again. */
  reopen(): Promise<void>
  close(): Promise<void>
}

interface OpenParts {
  readonly environment: Environment
  readonly reader: Reader
  readonly worker: WorkerLink
}

/** Called once per open store. `onLost` runs when the worker ends unexpectedly. Throws as `openLmdbStore` does. */
export async function openBackend(options: EnvironmentOptions, onLost: (error: StoreError) => void): Promise<Backend> {
  refuseCutOff(options.dir, dataFile)
  // The thread loads its code while the lock is taken.
  const worker = await startWorker(onLost)
  const { environment, ownership } = await openLocked(options).catch(async (error: unknown) => {
    await worker.stop()
    throw error
  })
  let opened: OpenParts | undefined
  try {
    opened = await start(environment, Promise.resolve(worker), options)
  } catch (error) {
    await ownership.release()
    throw error
  }
  function current(): OpenParts {
    if (opened === undefined) throw new StoreError("unavailable", `the store in ${options.dir} could not be opened again`)
    return opened
  }
  async function shut(): Promise<void> {
    const closing = opened
    opened = undefined
    await closing?.worker.stop()
    await closing?.environment.root.close()
  }
  return {
    reader: () => current().reader,
    state() {
      const { environment, reader } = current()
      reader.refresh()
      return readState(environment)
    },
    async commit(batch, length) {
      const reply = await current().worker.request({ type: "commit", batch, length })
      if (reply.type !== "committed") throw new StoreError("undecided", "the storage worker answered out of turn")
      return reply
    },
    async compact(revision) {
      await current().worker.request({ type: "compact", revision })
    },
    async sweep() {
      const reply = await current().worker.request({ type: "sweep" })
      return reply.type === "swept" && reply.all
    },
    async tryRoom(bytes) {
      await current().worker.request({ type: "try-room", bytes })
    },
    async reopen() {
      await shut()
      opened = await start(openEnvironment(options), startWorker(onLost), options)
    },
    async close() {
      // The worker may be lost already; its requests have then failed.
      await opened?.worker.request({ type: "close" }).catch(() => undefined)
      await shut()
      await ownership.release()
    },
  }
}

/** Opens the environment and makes this process its one writer. Leaves nothing open when it throws. */
async function openLocked(options: EnvironmentOptions): Promise<{ environment: Environment; ownership: ProcessLock }> {
  const environment = openEnvironment(options)
  try {
    return { environment, ownership: await acquireProcessLock(environment) }
  } catch (error) {
    await environment.root.close()
    throw error
  }
}

/** Opens the environment in the worker as well. Closes it and ends the worker when it throws. */
async function start(environment: Environment, starting: Promise<WorkerLink>, { dir, mapSize }: EnvironmentOptions): Promise<OpenParts> {
  let worker: WorkerLink | undefined
  try {
    worker = await starting
    await worker.request({ type: "open", dir, ...(mapSize !== undefined && { mapSize }) })
    return { environment, reader: createReader(environment), worker }
  } catch (error) {
    await worker?.stop()
    await environment.root.close()
    throw error
  }
}
