/**
 * Group commit: requests that arrive while the worker writes one batch go into the next, without a timer. A batch costs
 * one flush whatever its size, and requests that are worked on together cost less than one by one. So a batch is sent
 * when a turn of the event loop has brought no further commit: clients that were answered together then meet in one
 * batch again, rather than in two halves that alternate. Runs on the main thread, so every step here is paid per
 * commit.
 */
import { Gathering } from "../../base/gathering.ts"
import type { CommitOptions, CommitResult, StoredValue, StoreEvent } from "../store.ts"
import { StoreError } from "../store.ts"
import { ByteReader, ByteWriter, outcome, readStored, writeCommit } from "./batch.ts"

interface PendingCommit {
  readonly options: CommitOptions
  resolve(result: CommitResult): void
  reject(error: StoreError): void
}

interface Batch {
  readonly bytes: ByteWriter
  readonly commits: PendingCommit[]
  /** Called before the batch is sent. */
  readonly announcements: Set<() => void>
  /** When the first of its values with a time to live expires; infinite without any. */
  dueMs: number
}

export interface CommitterOptions {
  /** Makes the batch durable; resolves with the results (batch.ts) and the store's revision after it. */
  send(batch: ArrayBuffer, length: number): Promise<{ results: ArrayBuffer; revision: number }>
  /**
   * Called once per durable batch, before any of its commits is acknowledged. `dueMs`: when the first of its values
   * expires, infinite for none.
   */
  onDurable(events: readonly StoreEvent[], revision: number, dueMs: number): void
  /** Called once per failed batch, before its commits are rejected. */
  onFailure(error: StoreError): void
  /** The expiry time of a value with this time to live that is written now. */
  expiresAtMs(ttlSeconds: number): number
  elapsedMs(): number
}

export interface Committer {
  commit(options: CommitOptions): Promise<CommitResult>
  /**
   * Start of the batch that the worker is writing, which reveals a disk that does not respond. Undefined: the worker is
   * idle.
   */
  busySinceMs(): number | undefined
  /** Resolves once no commit is waiting or being written. */
  idle(): Promise<void>
}

/** Initial capacity of a batch: at least this, otherwise the size of the batch before and a quarter more. */
const smallestBatch = 16 * 1024
/** A batch takes no more commits beyond this, so that its commits do not delay each other for long. */
const batchCommits = 1024
const batchBytes = 16 * 1024 * 1024
/** Maximum size of the queue; beyond it commits are refused rather than memory filled. */
const waitingBytes = 256 * 1024 * 1024

/** Called once per open store. */
export function createCommitter(committer: CommitterOptions): Committer {
  const queue: Batch[] = []
  let underWay: Batch | undefined
  let sentAtMs = 0
  let bytesWaiting = 0
  let scheduled = false
  let capacity = smallestBatch
  const gathering = new Gathering(committer.elapsedMs)
  const idlers: (() => void)[] = []

  function flush(): void {
    if (gathering.goesOn(queue[0]?.commits.length ?? 0)) return void setImmediate(flush)
    scheduled = false
    const batch = queue.shift()
    if (batch !== undefined) void write(batch)
    else for (const resolve of idlers.splice(0)) resolve()
  }
  async function write(batch: Batch): Promise<void> {
    underWay = batch
    sentAtMs = committer.elapsedMs()
    const { bytes, length } = batch.bytes
    capacity = Math.max(smallestBatch, Math.ceil(length * 1.25))
    try {
      for (const announce of batch.announcements) announce()
      bytes.writeUInt32LE(batch.commits.length, 0)
      const { results, revision } = await committer.send(bytes.buffer, length)
      underWay = undefined
      settle(committer, batch, results, revision)
    } catch (error) {
      underWay = undefined
      fail(committer, batch.commits, error)
    }
    bytesWaiting -= length
    scheduleFlush()
  }
  /** Flushes after this turn or a few more, so that requests or answers that arrived together form one batch. */
  function scheduleFlush(): void {
    if (scheduled || underWay !== undefined) return
    scheduled = true
    setImmediate(flush)
  }
  function openBatch(): Batch {
    const last = queue.at(-1)
    if (last !== undefined && last.commits.length < batchCommits && last.bytes.length < batchBytes) return last
    const batch = emptyBatch(capacity)
    bytesWaiting += batch.bytes.length
    queue.push(batch)
    return batch
  }
  return {
    commit(options) {
      if (bytesWaiting > waitingBytes) return Promise.reject(new StoreError("unavailable", "too much is waiting to be written"))
      const batch = openBatch()
      const { bytes } = batch
      const before = bytes.length
      writeCommit(bytes, options, (ttlSeconds) => noteExpiry(batch, committer.expiresAtMs(ttlSeconds)))
      bytesWaiting += bytes.length - before
      scheduleFlush()
      return join(batch, options)
    },
    busySinceMs: () => (underWay === undefined ? undefined : sentAtMs),
    idle() {
      if (underWay === undefined && queue.length === 0) return Promise.resolve()
      return new Promise((resolve) => idlers.push(resolve))
    },
  }
}

function emptyBatch(capacity: number): Batch {
  const bytes = new ByteWriter(capacity)
  // Room for the number of commits, which is known when the batch is sent.
  bytes.reserve(4)
  return { bytes, commits: [], announcements: new Set(), dueMs: Number.POSITIVE_INFINITY }
}

/** Resolves with the outcome of a commit whose bytes the batch has. */
function join({ announcements, commits }: Batch, options: CommitOptions): Promise<CommitResult> {
  if (options.beforeWrite !== undefined) announcements.add(options.beforeWrite)
  return new Promise((resolve, reject) => commits.push({ options, resolve, reject }))
}

/** Records in the batch its earliest expiry. */
function noteExpiry(batch: Batch, expiresAtMs: number): number {
  batch.dueMs = Math.min(batch.dueMs, expiresAtMs)
  return expiresAtMs
}

function settle(committer: CommitterOptions, { commits, dueMs }: Batch, results: ArrayBuffer, revision: number): void {
  const reader = new ByteReader(Buffer.from(results))
  const events: StoreEvent[] = []
  const answers = commits.map(({ options }) => readResult(reader, options, events))
  committer.onDurable(events, revision, dueMs)
  for (const [index, { resolve }] of commits.entries()) {
    const answer = answers[index]
    if (answer !== undefined) resolve(answer)
  }
}

function fail(committer: CommitterOptions, commits: readonly PendingCommit[], error: unknown): void {
  // Not a refusal: the commit may have happened, and if the failure came after the worker's reply, it did.
  const failure = error instanceof StoreError ? error : new StoreError("undecided", error instanceof Error ? error.message : String(error))
  committer.onFailure(failure)
  for (const { reject } of commits) reject(failure)
}

function readResult(reader: ByteReader, options: CommitOptions, events: StoreEvent[]): CommitResult {
  const result = reader.u32()
  const revision = reader.f64()
  if (result === outcome.failed) return { ok: false, revision, current: readFailed(reader) }
  for (const write of options.writes) {
    const createRevision = reader.f64()
    if (createRevision === 0) continue
    const { type, key } = write
    if (type === "put") events.push({ type, key, revision, value: write.value, createRevision })
    else events.push({ type, key, revision, createRevision })
  }
  return { ok: true, revision }
}

function readFailed(reader: ByteReader): Map<string, StoredValue | undefined> {
  const current = new Map<string, StoredValue | undefined>()
  for (let count = reader.u32(); count > 0; count--) {
    const key = reader.block().toString()
    current.set(key, readStored(reader, key))
  }
  return current
}
