/**
 * Copies the content of one store into another of any driver. The copy keeps keys and values; versions are the target's
 * own, all greater than any version of the source, and the target's history begins with the copy. A client that asks
 * for an older version gets "expired" and lists again, so no version ever means two states.
 */
import { inParallel } from "../../base/in-parallel.ts"
import type { Store, StoredValue, Write } from "../store.ts"
import { StoreError } from "../store.ts"
import { listPages } from "../watch-cache/list-pages.ts"
import { compareStores, type Comparison } from "./compare.ts"

export interface CopyOptions {
  readonly source: Store
  readonly target: Store
  /** Ends with "/"; only keys below it are copied. */
  readonly prefix: string
  readonly nowMs: () => number
  /** Called with 0 when the target begins to change, and repeatedly with the number of keys copied so far. */
  readonly onProgress?: (keys: number) => void
}

export interface CopySummary extends Comparison {
  /** The revision of the source that was copied. */
  readonly sourceRevision: number
  /** The target's revision after the copy: its oldest readable one. */
  readonly revision: number
}

const pageKeys = 500
/** Commits in flight; drivers group them. */
const commitsAtOnce = 64

/**
 * Marks the target while a copy runs, so that an unfinished copy is not used as a complete one. The key is beside the
 * server's own keys and belongs to no resource.
 */
export function copyMarker(prefix: string): string {
  return `${prefix}orch-apiserver/copy-under-way`
}

/**
 * Called by `store copy`; no other program may write to the source meanwhile. The target must hold nothing below the
 * prefix. Throws StoreError "unavailable" when the target is not empty or differs from the source in the end; after
 * this or any other failure the content of the target must not be used.
 */
export async function copyStore(options: CopyOptions): Promise<CopySummary> {
  const { source, target, prefix } = options
  if ((await source.get({ key: copyMarker(prefix) })) !== undefined)
    throw new StoreError("unavailable", "the source is itself a copy that was begun and not finished")
  await checkEmpty(target, prefix)
  const sourceRevision = await source.revision()
  const marker = copyMarker(prefix)
  options.onProgress?.(0)
  await put(target, { type: "put", key: marker, value: Buffer.from(`of revision ${sourceRevision}`) })
  await advance(target, marker, sourceRevision)
  await copyKeys(options, sourceRevision)
  const comparison = await compareStores({ ...options, ignore: marker })
  await target.commit({ checks: [], writes: [{ type: "delete", key: marker }] })
  const revision = await target.revision()
  await target.compact({ revision })
  return { ...comparison, sourceRevision, revision }
}

async function checkEmpty(target: Store, prefix: string): Promise<void> {
  const { items } = await target.list({ prefix, limit: 1 })
  const [first] = items
  if (first === undefined) return
  const marker = await target.get({ key: copyMarker(prefix) })
  const why = marker === undefined ? `there is ${first.key}` : "a copy into it was begun and not finished"
  throw new StoreError("unavailable", `the target is not empty: ${why}; a copy needs a target without keys below ${prefix}`)
}

/** Raises the target's revision by commits: the `Store` interface has no other way. */
async function advance(target: Store, marker: string, revision: number): Promise<void> {
  for (let now = await target.revision(); now < revision; now = await target.revision()) {
    const missing = Array.from({ length: Math.min(revision - now, pageKeys) }, () => marker)
    await inParallel(missing, { atOnce: commitsAtOnce }, (key) =>
      put(target, { type: "put", key, value: Buffer.from(`of revision ${revision}`) }),
    )
  }
}

async function copyKeys({ source, target, prefix, nowMs, onProgress }: CopyOptions, revision: number): Promise<void> {
  const ending: { readonly key: string; readonly expiresAtMs: number }[] = []
  let keys = 0
  async function write(items: readonly StoredValue[]): Promise<void> {
    await inParallel(items, { atOnce: commitsAtOnce }, (item) => put(target, writeOf(item, nowMs()), item.key))
    keys += items.length
    onProgress?.(keys)
  }
  for await (const { items } of listPages(source, { prefix, page: pageKeys, revision })) {
    await write(items.filter(({ expiresAtMs }) => expiresAtMs === undefined))
    for (const { key, expiresAtMs } of items) if (expiresAtMs !== undefined) ending.push({ key, expiresAtMs })
  }
  // In order of expiry, so that drivers that share leases need few of them. Only the keys are kept in memory.
  ending.sort((left, right) => left.expiresAtMs - right.expiresAtMs)
  for (let at = 0; at < ending.length; at += commitsAtOnce) {
    const due = ending.slice(at, at + commitsAtOnce).filter(({ expiresAtMs }) => expiresAtMs > nowMs())
    const values = await Promise.all(
      due.map(({ key, expiresAtMs }) => source.get({ key, revision }).then((item) => item && { ...item, expiresAtMs })),
    )
    await write(values.filter((item) => item !== undefined))
  }
}

/** The write of a value with its remaining time to live. */
function writeOf({ key, value, expiresAtMs }: StoredValue, nowMs: number): Write {
  const left = expiresAtMs === undefined ? undefined : Math.max(1, Math.ceil((expiresAtMs - nowMs) / 1000))
  return { type: "put", key, value, ...(left !== undefined && { ttlSeconds: left }) }
}

/** `fresh`: a key that must not exist yet. */
async function put(target: Store, write: Write, fresh?: string): Promise<void> {
  const result = await target
    .commit({ checks: fresh === undefined ? [] : [{ key: fresh, modRevision: 0 }], writes: [write] })
    .catch((error: unknown) => {
      const { code, message } = error instanceof StoreError ? error : new StoreError("unavailable", String(error))
      throw new StoreError(code, `${write.key} could not be copied: ${message}`)
    })
  if (!result.ok) throw new StoreError("unavailable", `${write.key} was written by somebody else while the target was filled`)
}
