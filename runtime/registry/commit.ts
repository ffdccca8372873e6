/** The one place where objects become commits: encode, hand the bytes to the cache, check and put in one step, translate store errors. */
import { type ApiError, internal, timeout, tooLarge, unavailable, undecided } from "../base/errors.ts"
import type { CommitOps } from "../schema/behaviour.ts"
import type { ApiObject } from "../base/json.ts"
import { Failures } from "../base/failure.ts"
import { type Check, type CommitResult, StoreError, type Write } from "../storage/store.ts"
import { inTurns, takesTurns } from "../base/turns.ts"
import { type EncodedObject, versioned } from "./object-codec.ts"
import type { KindHandle, Registry } from "./registry.ts"

/** What a write leaves behind, for the answer. */
export interface WriteResult {
  /** In the version of the handle, resourceVersion in place (absent after a dry-run create). */
  readonly object: ApiObject
  /** Bytes of the stored form, when they are at hand. */
  readonly json?: Buffer
  readonly created: boolean
  /** The write removed the object (the last finalizer went). */
  readonly removed: boolean
}

/** Checks and writes that behaviours add to a change. */
export interface TransactionOps {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
  /** Called once by the commit that takes the ops along, whatever comes of it. */
  readonly release: () => void
}

export type CommitOutcome =
  | { readonly ok: true; readonly result: WriteResult }
  /** `changed`: somebody wrote this very object; otherwise what its behaviours depend on has changed, and another attempt may go through. */
  | { readonly ok: false; readonly exists: boolean; readonly changed: boolean; readonly revision: number }

/** Of a change that nothing has to happen with. */
export const noTransactionOps: TransactionOps = { checks: [], writes: [], release: () => {} }

/** Asks every behaviour of the kind what must happen together with this change. */
export async function collectTransactionOps(
  handle: KindHandle,
  change: { object?: ApiObject; old?: ApiObject },
  options: { dryRun: boolean; subresource?: string },
): Promise<TransactionOps> {
  const all: CommitOps[] = []
  const settled = (): void => {
    for (const ops of all) ops.settled?.()
  }
  try {
    for (const behaviour of handle.behaviours) {
      const ops = await behaviour.commit?.(change, { ...options, failures: new Failures() })
      if (ops !== undefined) all.push(ops)
    }
  } catch (error) {
    settled()
    throw error
  }
  return { checks: all.flatMap(({ checks }) => checks), writes: all.flatMap(({ writes }) => writes), release: settled }
}

/**
 * Puts `object`, which nobody else holds, where the key is at `expected` (0: not there). `ok: false`: somebody was faster, nothing was written.
 */
export async function commitPut(
  registry: Registry,
  handle: KindHandle,
  options: {
    key: string
    expected: number
    object: ApiObject
    /** Of the object, about: a large one is encoded in turns. Absent: a small one. */
    bytes?: number
    ops: TransactionOps
    dryRun: boolean
    created: boolean
  },
): Promise<CommitOutcome> {
  const { key, expected, object, bytes = 0, ops, created } = options
  if (options.dryRun) return { ok: true, result: { object: dryRunVersion(object, expected), created, removed: false } }
  const stored = settlingOnError(ops, () => handle.toStored(object))
  const encoded = takesTurns(bytes) ? await encodedInTurns(handle, stored, ops) : settlingOnError(ops, () => handle.codec.encode(stored))
  handle.cache.announce(key, encoded.value, encoded.json)
  const ttlSeconds = handle.kind.storage.ttlOption === undefined ? undefined : registry.deps.ttlSeconds[handle.kind.storage.ttlOption]
  const { value } = encoded
  const put: Write = ttlSeconds !== undefined && ttlSeconds > 0 ? { type: "put", key, value, ttlSeconds } : { type: "put", key, value }
  const outcome = await commit(registry, { check: { key, modRevision: expected }, write: put }, ops)
  if (!outcome.ok) {
    handle.cache.withdraw(key, value)
    return lost(key, outcome)
  }
  if (stored === object && object.metadata !== undefined) object.metadata.resourceVersion = String(outcome.revision)
  else object.metadata = versioned(object.metadata, String(outcome.revision))
  return { ok: true, result: { object, json: encoded.json(outcome.revision), created, removed: false } }
}

/**
 * Removes the key while it is at `expected`. `stamped`: the object that is answered has the version of its removal, as the event of it has;
 * otherwise the version it came with.
 */
export async function commitDelete(
  registry: Registry,
  options: { key: string; expected: number; object: ApiObject; ops: TransactionOps; dryRun: boolean; stamped?: boolean },
): Promise<CommitOutcome> {
  const { key, expected, object, ops } = options
  const result: WriteResult = { object, created: false, removed: true }
  if (options.dryRun) return { ok: true, result }
  const outcome = await commit(registry, { check: { key, modRevision: expected }, write: { type: "delete", key } }, ops)
  if (!outcome.ok) return lost(key, outcome)
  if (options.stamped !== true) return { ok: true, result }
  return { ok: true, result: { ...result, object: { ...object, metadata: versioned(object.metadata, String(outcome.revision)) } } }
}

/** As `send`, and returns when the watchers have heard of it: who was answered finds its write on its watches, however many others watch. */
async function commit(
  registry: Registry,
  own: { check: Check; write: Write },
  ops: TransactionOps,
): ReturnType<Registry["deps"]["store"]["commit"]> {
  const result = await send(registry, own, ops)
  const delivered = registry.deps.cache.delivered()
  if (delivered !== undefined) await delivered
  return result
}

/** The object's own check and write, together with its ops. */
async function send(
  registry: Registry,
  own: { check: Check; write: Write },
  ops: TransactionOps,
): ReturnType<Registry["deps"]["store"]["commit"]> {
  try {
    return await registry.deps.store.commit({ checks: [own.check, ...ops.checks], writes: [own.write, ...ops.writes] })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const failure = storeFailure(error)
    failure.cause = error
    throw failure
  } finally {
    ops.release()
  }
}

async function encodedInTurns(handle: KindHandle, stored: ApiObject, ops: TransactionOps): Promise<EncodedObject> {
  try {
    return await inTurns(handle.codec.encoding(stored))
  } catch (error) {
    ops.release()
    throw error
  }
}

/** Riders whose commit never comes must not hold on to anything. */
function settlingOnError<T>(ops: TransactionOps, make: () => T): T {
  try {
    return make()
  } catch (error) {
    ops.release()
    throw error
  }
}

function lost(key: string, outcome: Extract<CommitResult, { ok: false }>): CommitOutcome {
  return { ok: false, exists: outcome.current.get(key) !== undefined, changed: outcome.current.has(key), revision: outcome.revision }
}

/** When a client may try again what the store could not do: leaders are elected within a second or two. */
const storeRetrySeconds = 1

/** A store's refusal in the words of the API. */
export function storeFailure(error: StoreError): ApiError {
  switch (error.code) {
    case "too-large":
      return tooLarge(`the object is too large to be stored: ${error.message}`)
    case "full":
    case "unavailable":
    case "closed":
      return unavailable(`the store cannot do this at present: ${error.message}`, storeRetrySeconds)
    case "timeout":
      return timeout(`the store did not answer in time: ${error.message}`, storeRetrySeconds)
    case "undecided":
      return undecided(error.message)
    case "compacted":
    case "future":
      return internal(error.message)
  }
}

/** A dry run shows the version that the object has, none when it was not there. */
function dryRunVersion(object: ApiObject, expected: number): ApiObject {
  if (expected > 0) return { ...object, metadata: versioned(object.metadata, String(expected)) }
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {}
  return { ...object, metadata }
}
