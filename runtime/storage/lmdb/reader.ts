/**
 * The reading side of the embedded store, on the main thread. Every read is at a published revision: data that the
 * worker has written but not yet made durable is never visible. Read transactions last for one synchronous step.
 */
import { assert } from "../../base/assert.ts"
import type { StoredValue, StoreEvent } from "../store.ts"
import { storedValue } from "./batch.ts"
import type { Environment } from "./environment.ts"
import { viewValue } from "./environment.ts"
import type { RecordVersion } from "./layout.ts"
import {
  afterKey,
  asBuffer,
  createIndexKeys,
  decodeVersion,
  expiryKey,
  logKey,
  logRecordKey,
  logRecordValue,
  readExpiryKey,
  readIndexKey,
  readLogRecord,
  revisionOfLogKey,
} from "./layout.ts"

export interface Reader {
  /** Called when the worker has written: later reads see the new data. */
  refresh(): void
  get(key: string, revision: number): StoredValue | undefined
  /**
   * One step of a list: at most `limit` items, and less when the step's budget is used up. `next`: where to continue;
   * absent: the list is complete.
   */
  listStep(options: ListStep): { items: StoredValue[]; next?: Uint8Array }
  /** Where a list begins. */
  listStart(prefix: string, startAfter: string | undefined): Uint8Array
  /**
   * One step of a replay: events of whole commits after `afterRevision`, up to `revision` or less. `bytes`: stop after
   * this many.
   */
  replayStep(options: ReplayStep): { events: StoreEvent[]; revision: number }
  /** At most `limit` values that are due at `nowMs`, earliest first, and when the next one after these is due. */
  due(nowMs: number, limit: number): { items: { key: string; modRevision: number }[]; nextMs?: number }
}

interface ReplayStep {
  readonly afterRevision: number
  readonly revision: number
  readonly prefix: string
  readonly bytes?: number
  /** As in WatchOptions. */
  readonly previous?: false | undefined
}

interface ListStep {
  readonly from: Uint8Array
  readonly prefix: string
  readonly revision: number
  readonly limit: number
  /** As in StoreListOptions. */
  readonly copy?: ((value: Uint8Array) => Uint8Array) | undefined
}

/** Budget of a step: entries visited and bytes read; a few milliseconds. */
const stepEntries = 2000
const stepBytes = 4 * 1024 * 1024

/** Called once per opened environment. */
export function createReader(environment: Environment): Reader {
  const { root, index, log } = environment
  const keys = createIndexKeys()
  const logScratch = Buffer.allocUnsafeSlow(12)
  function stored(key: string, version: RecordVersion, copy?: (value: Uint8Array) => Uint8Array): StoredValue {
    const value = viewValue(log, logKey(version.modRevision, version.place, logScratch))
    if (value === undefined) assert(false, "every version has its record", { key, ...version })
    return storedValue(key, version, copy === undefined ? Buffer.from(value) : copy(value))
  }
  function versionAt(key: string, revision: number): RecordVersion | undefined {
    const bytes = Buffer.from(key)
    const current = index.getBinary(keys.current(bytes))
    const version = current === undefined ? undefined : decodeVersion(asBuffer(current))
    if (version !== undefined && version.modRevision <= revision) return version
    const range = { start: Buffer.from(keys.past(bytes, revision)), end: afterKey(key), limit: 1 }
    for (const entry of index.getRange(range)) return decodeVersion(asBuffer(entry.value))
    return undefined
  }
  return {
    refresh: () => root.resetReadTxn(),
    get(key, revision) {
      const version = versionAt(key, revision)
      return version === undefined ? undefined : stored(key, version)
    },
    listStart(prefix, startAfter) {
      const start = Buffer.from(prefix)
      const after = startAfter === undefined ? start : afterKey(startAfter)
      return Buffer.compare(after, start) > 0 ? after : start
    },
    listStep: (options) => listStep(index, stored, options),
    replayStep: (options) => replayStep(log, options),
    due: (nowMs, limit) => dueValues(environment, nowMs, limit),
  }
}

type Stored = (key: string, version: RecordVersion, copy?: ListStep["copy"]) => StoredValue

function listStep(
  index: Environment["index"],
  stored: Stored,
  { from, prefix, revision, limit, copy }: ListStep,
): { items: StoredValue[]; next?: Uint8Array } {
  const items: StoredValue[] = []
  let visited = 0
  let bytes = 0
  /** The key whose state has been found: its older versions are skipped. */
  let settled = ""
  for (const entry of index.getRange({ start: from, end: afterPrefix(prefix) })) {
    const { key, revision: past } = readIndexKey(entry.key)
    const mustPause = visited >= stepEntries || bytes >= stepBytes || items.length >= limit
    visited++
    if (key === settled) {
      if (mustPause) return { items, next: afterKey(key) }
      continue
    }
    if (mustPause) return { items, next: entry.key }
    const version = decodeVersion(asBuffer(entry.value))
    if ((past ?? version?.modRevision ?? 0) > revision) continue
    settled = key
    if (version === undefined) continue
    const item = stored(key, version, copy)
    bytes += item.value.length
    items.push(item)
  }
  return { items }
}

/** The first bytes after everything that begins with the prefix, which ends with a slash; no byte of UTF-8 is 255. */
function afterPrefix(prefix: string): Buffer {
  return prefix === "" ? Buffer.of(255) : Buffer.from(`${prefix.slice(0, -1)}0`)
}

function replayStep(
  log: Environment["log"],
  { afterRevision, revision, prefix, bytes: bytesWanted = stepBytes, previous }: ReplayStep,
): { events: StoreEvent[]; revision: number } {
  const events: StoreEvent[] = []
  const prefixBytes = Buffer.from(prefix)
  let visited = 0
  let bytes = 0
  let reached = afterRevision
  const bytesMax = Math.min(stepBytes, bytesWanted)
  for (const entry of log.getRange({ start: logKey(afterRevision + 1, 0), end: logKey(revision + 1, 0) })) {
    const at = revisionOfLogKey(entry.key).revision
    if (at !== reached && (visited >= stepEntries || bytes >= bytesMax)) return { events, revision: reached }
    reached = at
    visited++
    const record = asBuffer(entry.value)
    const key = logRecordKey(record)
    if (!prefixBytes.equals(key.subarray(0, prefixBytes.length))) continue
    bytes += record.length
    const event = eventOf(record, key.toString(), at)
    events.push(previous === false ? event : withPrevious(log, record, event))
  }
  return { events, revision }
}

function eventOf(record: Buffer, key: string, revision: number): StoreEvent {
  const { type, createRevision } = readLogRecord(record)
  return type === "put" ? { type, key, revision, createRevision, value: logRecordValue(record) } : { type, key, revision, createRevision }
}

function withPrevious(log: Environment["log"], record: Buffer, event: StoreEvent): StoreEvent {
  const { key, revision, createRevision } = event
  const { previousRevision, previousPlace } = readLogRecord(record)
  if (previousRevision === 0) return event
  const before = log.getBinary(logKey(previousRevision, previousPlace))
  assert(before !== undefined, "what a readable write replaced is readable", { key, revision, previousRevision })
  const previous = asBuffer(before)
  const version = { modRevision: previousRevision, createRevision, expiresAtMs: readLogRecord(previous).expiresAtMs }
  return { ...event, previous: storedValue(key, version, logRecordValue(previous)) }
}

function dueValues(
  environment: Environment,
  nowMs: number,
  limit: number,
): { items: { key: string; modRevision: number }[]; nextMs?: number } {
  const items: { key: string; modRevision: number }[] = []
  for (const entry of environment.expiry.getRange({ start: expiryKey(0, Buffer.of()) })) {
    const { expiresAtMs, key } = readExpiryKey(entry.key)
    const version = decodeVersion(asBuffer(entry.value))
    if (expiresAtMs > nowMs || items.length >= limit || version === undefined) return { items, nextMs: expiresAtMs }
    items.push({ key: key.toString(), modRevision: version.modRevision })
  }
  return { items }
}
