/** The one place where objects become commits: encode, hand the bytes to the cache, check and put in one step, translate store errors. */
import { type ApiError, internal, tooLarge, unavailable } from "../errors.ts"
import type { ApiObject } from "../kit/json.ts"
import { Failures } from "../kit/failure.ts"
import { type Check, StoreError, type Write } from "../storage/store.ts"
import { versioned } from "./object-codec.ts"
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
export interface Riders {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
}

export type CommitOutcome = { readonly ok: true; readonly result: WriteResult } | { readonly ok: false; readonly exists: boolean; readonly revision: number }

/** Asks every behaviour of the kind what must happen together with this change. */
export async function ridersOf(handle: KindHandle, change: { object?: ApiObject; old?: ApiObject }, options: { dryRun: boolean; subresource?: string }): Promise<Riders> {
  const checks: Check[] = []
  const writes: Write[] = []
  for (const behaviour of handle.behaviours) {
    const riders = await behaviour.commit?.(change, { ...options, failures: new Failures() })
    if (riders === undefined) continue
    checks.push(...riders.checks)
    writes.push(...riders.writes)
  }
  return { checks, writes }
}

/** Puts `object` where the key is at `expected` (0: not there). `ok: false`: somebody was faster, nothing was written. */
export async function commitPut(
  registry: Registry,
  handle: KindHandle,
  options: { key: string; expected: number; object: ApiObject; riders: Riders; dryRun: boolean; created: boolean },
): Promise<CommitOutcome> {
  const { key, expected, object, riders, created } = options
  if (options.dryRun) return { ok: true, result: { object: dryRunVersion(object, expected), created, removed: false } }
  const encoded = handle.codec.encode(handle.toStored(object))
  handle.cache.expect(key, encoded.value, encoded.json)
  const ttlSeconds = handle.kind.storage.ttlOption === undefined ? undefined : registry.deps.ttlSeconds[handle.kind.storage.ttlOption]
  const put: Write = { type: "put", key, value: encoded.value, ...(ttlSeconds !== undefined && ttlSeconds > 0 && { ttlSeconds }) }
  const outcome = await commit(registry, { checks: [{ key, modRevision: expected }, ...riders.checks], writes: [put, ...riders.writes] })
  if (!outcome.ok) return { ok: false, exists: outcome.current.get(key) !== undefined, revision: outcome.revision }
  const final: ApiObject = { ...object, metadata: versioned(object.metadata, String(outcome.revision)) }
  return { ok: true, result: { object: final, json: encoded.json(outcome.revision), created, removed: false } }
}

/** Removes the key while it is at `expected`. */
export async function commitDelete(
  registry: Registry,
  options: { key: string; expected: number; object: ApiObject; riders: Riders; dryRun: boolean },
): Promise<CommitOutcome> {
  const { key, expected, object, riders } = options
  const result: WriteResult = { object, created: false, removed: true }
  if (options.dryRun) return { ok: true, result }
  const outcome = await commit(registry, { checks: [{ key, modRevision: expected }, ...riders.checks], writes: [{ type: "delete", key }, ...riders.writes] })
  return outcome.ok ? { ok: true, result } : { ok: false, exists: outcome.current.get(key) !== undefined, revision: outcome.revision }
}

async function commit(registry: Registry, change: Riders): ReturnType<Registry["deps"]["store"]["commit"]> {
  try {
    return await registry.deps.store.commit(change)
  } catch (error) {
    throw error instanceof StoreError ? storeFailure(error) : error
  }
}

/** A store's refusal in the words of the API. */
export function storeFailure(error: StoreError): ApiError {
  switch (error.code) {
    case "too-large":
      return tooLarge(`the object is too large to be stored: ${error.message}`)
    case "full":
    case "unavailable":
    case "closed":
      return unavailable(`the store does not take writes at present: ${error.message}`)
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
