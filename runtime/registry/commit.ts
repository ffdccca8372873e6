/**
 * Every write of an object ends here: encode it, announce the bytes to the cache, check and put in one transaction, and
 * translate store errors.
 */
import { type ApiError, internal, timeout, tooLarge, unavailable, undecided } from "../base/errors.ts"
import type { CommitOps } from "../schema/behaviour.ts"
import type { Kind } from "../schema/kind.ts"
import type { ApiObject } from "../base/json.ts"
import type { Trace } from "../base/trace.ts"
import { Failures } from "../base/failure.ts"
import type { CachedObject } from "../storage/cache.ts"
import { type Check, type CommitResult, StoreError, type Write } from "../storage/store.ts"
import { Pace } from "../base/pace.ts"
import { inTurns } from "../base/turns.ts"
import { awaitDefinitionChange, definitionCheck } from "./definition-guard.ts"
import { type EncodedObject, versioned } from "./object-codec.ts"
import type { KindHandle, Registry } from "./registry.ts"
import { settleHooks } from "./settle-hooks.ts"
import type { VersionConversion } from "./version-conversion.ts"
import { fullStored, keepsStoredOnly, rememberedStored } from "./stored-state.ts"

/** Result of a write, for the response. */
export interface WriteResult {
  /** In the handle's version, with resourceVersion set (absent after a dry-run create). */
  readonly object: ApiObject
  /** Returns the JSON of the stored form. Absent if no bytes of it are known, or another server converted it. */
  readonly json?: () => Buffer
  readonly created: boolean
  /** The write removed the object, because its last finalizer was removed. */
  readonly removed: boolean
}

/** Checks and writes that behaviours add to a change. */
export interface TransactionOps {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
  /** The commit that includes the operations calls this once, on success and on failure. */
  readonly release: () => void
}

export type CommitOutcome =
  | { readonly ok: true; readonly result: WriteResult }
  /**
   * `changed`: another request wrote this object. Otherwise a dependency of its behaviours has changed, and another
   * attempt may succeed. `createRevision`: of the object that has the name now; absent: there is none, or its own check
   * did not fail.
   */
  | { readonly ok: false; readonly exists: boolean; readonly changed: boolean; readonly createRevision?: number; readonly revision: number }

/** For changes without further checks or writes. */
export const noTransactionOps: TransactionOps = { checks: [], writes: [], release: () => {} }

/**
 * Collects from every behaviour of the kind the checks and writes to commit together with this change. Behaviours may
 * change `object`.
 */
export async function collectTransactionOps(
  handle: KindHandle,
  change: { object?: ApiObject; old?: ApiObject },
  options: { dryRun: boolean; subresource?: string; pace?: Pace },
): Promise<TransactionOps> {
  const { pace = new Pace(), ...scope } = options
  const all: CommitOps[] = []
  const settled = (): void => {
    for (const ops of all) ops.settled?.()
  }
  try {
    // Bounded: a kind has few behaviours.
    for (const behaviour of handle.behaviours) {
      if (behaviour.commit === undefined) continue
      const ops = await behaviour.commit(change, { ...scope, failures: new Failures() })
      if (ops !== undefined) all.push(ops)
    }
    if (handle.hasOwnHooks && change.object !== undefined) await settleHooks(handle, change.object, pace)
  } catch (error) {
    settled()
    throw error
  }
  return { checks: all.flatMap(({ checks }) => checks), writes: all.flatMap(({ writes }) => writes), release: settled }
}

/**
 * Stores `object` if its key is at revision `expected` (0: absent). The caller must hold the only reference to
 * `object`. `ok: false`: another write came first, and nothing was written. Throws ReleasedKindError if the definition
 * of the kind is no longer the one of the handle.
 */
export async function commitPut(
  registry: Registry,
  handle: KindHandle,
  options: {
    key: string
    expected: number
    object: ApiObject
    /** The object has passed validation as a whole. Default false. */
    passed?: boolean
    pace: Pace
    ops: TransactionOps
    dryRun: boolean
    created: boolean
    trace: Trace
  },
): Promise<CommitOutcome> {
  const { key, expected, passed = false, pace, ops, created, trace } = options
  const written = handle.conversion === undefined ? undefined : await convertedForWrite(handle.conversion, options)
  if (options.dryRun) {
    const shown = written ?? (keepsStoredOnly(handle) ? storedObjectOf(handle, options.object) : options)
    return { ok: true, result: { object: dryRunVersion(shown.object, expected), created, removed: false } }
  }
  const recording = registry.deps.shapes?.pending(registry.deps.kinds, handle.stored)
  if (recording !== undefined) await shapeRecorded(recording, ops)
  const { object, stored } = written ?? releasingOnError(ops, () => storedObjectOf(handle, options.object))
  const encoded = pace.isSlow ? await encodedInTurns(handle, stored, ops) : releasingOnError(ops, () => encodedAtOnce(handle, stored))
  const guard = releasingOnError(ops, () => definitionCheck(registry, handle, key))
  const guarded = guard === undefined ? ops : { ...ops, checks: [...ops.checks, guard] }
  handle.cache.announce(key, encoded.value, encoded.json, stored)
  const ttlSeconds = handle.kind.storage.ttlOption === undefined ? undefined : registry.deps.ttlSeconds[handle.kind.storage.ttlOption]
  const { value } = encoded
  const put: Write = ttlSeconds !== undefined && ttlSeconds > 0 ? { type: "put", key, value, ttlSeconds } : { type: "put", key, value }
  const outcome = await commit(registry, { kind: handle.stored, check: { key, modRevision: expected }, write: put, trace }, guarded)
  if (!outcome.ok) {
    handle.cache.withdraw(key, value)
    if (guard !== undefined && outcome.current.has(guard.key)) await awaitDefinitionChange(registry, handle, guard)
    return conflictOutcome(key, outcome)
  }
  if (stored === object && object.metadata !== undefined) object.metadata.resourceVersion = String(outcome.revision)
  else object.metadata = versioned(object.metadata, String(outcome.revision))
  if (written !== undefined && stored !== object) return { ok: true, result: { object, created, removed: false } }
  const json = encoded.json(outcome.revision)
  if (keepsRecent(handle) && stored === object)
    registry.recent.keep(key, { revision: outcome.revision, object, passed, bytes: json.length })
  return { ok: true, result: { object, json: () => json, created, removed: false } }
}

/**
 * Whether objects written through the handle are kept decoded. Objects of a definition are not: a changed definition
 * may read the same stored version as another object. Objects with a time to live are not: there are many, they are
 * seldom written again, and they expire without a request, so they would crowd out all others.
 */
function keepsRecent({ kind, stored }: KindHandle): boolean {
  return kind === stored && kind.custom === undefined && kind.storage.ttlOption === undefined
}

/** Makes both forms of an object before the commit: an object that cannot be read back is not written. */
async function convertedForWrite(
  conversion: VersionConversion,
  { object, ops }: { readonly object: ApiObject; readonly ops: TransactionOps },
): ReturnType<VersionConversion["written"]> {
  try {
    return await conversion.written(object)
  } catch (error) {
    ops.release()
    throw error
  }
}

/** The object in the stored version, with the fields that only this version has, and as clients will see it. */
function storedObjectOf(handle: KindHandle, object: ApiObject): { readonly object: ApiObject; readonly stored: ApiObject } {
  if (!keepsStoredOnly(handle) && rememberedStored(object) === undefined) return { object, stored: handle.toStored(object) }
  const stored = fullStored(handle, object)
  return { object: handle.fromStored(stored), stored }
}

/** Waits for the record of the kind's shape, which precedes its first object. */
async function shapeRecorded(recording: Promise<void>, ops: TransactionOps): Promise<void> {
  try {
    await recording
  } catch (error) {
    ops.release()
    throw error instanceof StoreError ? storeFailure(error) : error
  }
}

/**
 * Removes the key if it is at revision `expected`. `stamped`: the returned object carries the revision of its removal,
 * as its event does; otherwise it keeps the resourceVersion it had.
 */
export async function commitDelete(
  registry: Registry,
  { kind, stored, codec, settled }: KindHandle,
  options: {
    key: string
    expected: number
    object: ApiObject
    ops: TransactionOps
    dryRun: boolean
    stamped?: boolean
    /** The stored object, if the removal changes nothing but its metadata. */
    current?: CachedObject | undefined
    trace: Trace
  },
): Promise<CommitOutcome> {
  const { key, expected, object, ops, current, trace } = options
  const result: WriteResult = { object, created: false, removed: true }
  if (options.dryRun) return { ok: true, result }
  const outcome = await commit(
    registry,
    { kind: stored, check: { key, modRevision: expected }, write: { type: "delete", key }, trace },
    ops,
  )
  if (!outcome.ok) return conflictOutcome(key, outcome)
  registry.recent.drop(key)
  if (options.stamped !== true) return { ok: true, result }
  const removed = { ...object, metadata: versioned(object.metadata, String(outcome.revision)) }
  const known = settled !== undefined && kind === stored && { json: () => codec.text(removed, current?.json()) }
  return { ok: true, result: { ...result, object: removed, ...known } }
}

/** The object's own part of a transaction. */
interface OwnWrite {
  /** The stored kind. */
  readonly kind: Kind
  readonly check: Check
  readonly write: Write
  readonly trace: Trace
}

/** As `send`, but waits until watchers have received the write: a client then finds it on its watches. */
async function commit(registry: Registry, own: OwnWrite, ops: TransactionOps): ReturnType<Registry["deps"]["store"]["commit"]> {
  const result = await send(registry, own, ops)
  const delivered = registry.deps.cache.delivered()
  if (delivered !== undefined) await delivered
  return result
}

/** Commits the object's own check and write together with its transaction operations. */
async function send(registry: Registry, own: OwnWrite, ops: TransactionOps): ReturnType<Registry["deps"]["store"]["commit"]> {
  const { clock, store, storeMeter, beforeWrite } = registry.deps
  const sinceMs = clock.elapsedMs()
  try {
    const stored = store.commit({ checks: [own.check, ...ops.checks], writes: [own.write, ...ops.writes], beforeWrite })
    const result = await own.trace.during("etcd", stored)
    // Bounded: behaviours add few writes.
    if (result.ok) for (const { key } of ops.writes) registry.recent.drop(key)
    return result
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const failure = storeFailure(error)
    failure.cause = error
    throw failure
  } finally {
    storeMeter?.committed(own.kind, operationOf(own), (clock.elapsedMs() - sinceMs) / 1000)
    ops.release()
  }
}

function operationOf({ check, write }: OwnWrite): "create" | "update" | "delete" {
  return write.type === "delete" ? "delete" : check.modRevision === 0 ? "create" : "update"
}

/** A large object shares nothing: comparing its value would be one more stage. */
function encodedAtOnce({ kind, stored: storedKind, settled, codec }: KindHandle, stored: ApiObject): EncodedObject {
  if (kind === storedKind) settled?.share(stored)
  return codec.encode(stored)
}

async function encodedInTurns(handle: KindHandle, stored: ApiObject, ops: TransactionOps): Promise<EncodedObject> {
  try {
    return await inTurns(handle.codec.encoding(stored))
  } catch (error) {
    ops.release()
    throw error
  }
}

/** Releases the transaction operations if `make` throws, since no commit will. */
function releasingOnError<T>(ops: TransactionOps, make: () => T): T {
  try {
    return make()
  } catch (error) {
    ops.release()
    throw error
  }
}

function conflictOutcome(key: string, outcome: Extract<CommitResult, { ok: false }>): CommitOutcome {
  const stored = outcome.current.get(key)
  const changed = outcome.current.has(key)
  if (stored === undefined) return { ok: false, exists: false, changed, revision: outcome.revision }
  return { ok: false, exists: true, changed, createRevision: stored.createRevision, revision: outcome.revision }
}

/** Seconds until a client may retry after a store failure: electing a leader takes a second or two. */
const storeRetrySeconds = 1

/** Translates a store error into an API error. */
export function storeFailure(error: StoreError): ApiError {
  switch (error.code) {
    case "too-large":
      return tooLarge(`the object is too large to be stored: ${error.message}`)
    case "full":
    case "unavailable":
    case "closed":
    case "released":
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

/** A dry run returns the object's present resourceVersion, or the one that was sent if the object does not exist. */
function dryRunVersion(object: ApiObject, expected: number): ApiObject {
  if (expected === 0 && (object.metadata?.resourceVersion ?? "") !== "") return object
  if (expected > 0) return { ...object, metadata: versioned(object.metadata, String(expected)) }
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {}
  return { ...object, metadata }
}
