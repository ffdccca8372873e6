/**
 * The true history: every durable commit of the store, in order. Read from the store itself, not through the server.
 */
import type { Content } from "./history.ts"
import { type Instant, StoredObjects } from "./lives/stored-objects.ts"
import {
  decodeState,
  logRecordKey,
  logRecordValue,
  readLogRecord,
  revisionOfLogKey,
  logKey,
  emptyState,
  type State,
} from "../../runtime/storage/lmdb/layout.ts"
import { metaKeys } from "../../runtime/storage/lmdb/environment.ts"
import type { StoreEvent } from "../../runtime/storage/store.ts"
import type { Image } from "./world/disk.ts"

/** One write of an object that clients know of. */
export interface Change {
  readonly revision: number
  readonly name: string
  /** Undefined: it was deleted. */
  readonly content: Content | undefined
  readonly before: Content | undefined
}

/** Prefix of the keys that the simulation's clients write. */
export const objectPrefix = "/registry/configmaps/sim/"

export class Truth {
  /** In order of revision; several of one commit in the order of the commit. */
  readonly changes: Change[] = []
  /** The newest durable revision. */
  revision = emptyState.revision
  private readonly current = new Map<string, Content>()
  readonly faults: string[] = []
  /** The true history of objects of every kind. */
  readonly stored: StoredObjects

  /** `shown`: the clock that counts times to live. */
  constructor(shown: () => Instant) {
    this.stored = new StoredObjects(shown)
  }

  /** Called with each durable image of the simulated disk. */
  readImage(image: Image): void {
    for (const [key, record] of image.log.entries(logKey(this.revision + 1, 0))) {
      const { revision } = revisionOfLogKey(key)
      if (revision > this.revision + 1) this.faults.push(`the log goes from revision ${this.revision} to ${revision}`)
      this.revision = revision
      const value = readLogRecord(record).type === "put" ? logRecordValue(record) : undefined
      this.add(logRecordKey(record).toString(), revision, value)
    }
  }

  /** Called with the events of a store in memory. */
  readEvents(events: readonly StoreEvent[], revision: number): void {
    this.revision = revision
    for (const event of events) this.add(event.key, event.revision, event.value)
  }

  /** Called after a power cut: writes that are not on disk did not happen. */
  cutTo(image: Image): void {
    this.revision = stateOf(image).revision
    this.stored.cutTo(this.revision)
    const lost = this.changes.findIndex((change) => change.revision > this.revision)
    if (lost < 0) return
    this.changes.length = lost
    this.current.clear()
    for (const { name, content } of this.changes) this.set(name, content)
  }

  /** Objects by name at a revision. */
  stateAt(revision: number): Map<string, Content> {
    const state = new Map<string, Content>()
    for (const change of this.changes) {
      if (change.revision > revision) break
      if (change.content === undefined) state.delete(change.name)
      else state.set(change.name, change.content)
    }
    return state
  }

  private add(key: string, revision: number, value: Uint8Array | undefined): void {
    this.stored.add(key, revision, value)
    if (!key.startsWith(objectPrefix)) return
    const name = key.slice(objectPrefix.length)
    const content = value === undefined ? undefined : contentOf(JSON.parse(Buffer.from(value).toString()), revision)
    this.changes.push({ revision, name, content, before: this.current.get(name) })
    this.set(name, content)
  }

  private set(name: string, content: Content | undefined): void {
    if (content === undefined) this.current.delete(name)
    else this.current.set(name, content)
  }
}

/** The state record of a store on this disk. */
function stateOf(image: Image): State {
  const bytes = image.meta.get(metaKeys.state)
  return bytes === undefined ? emptyState : decodeState(bytes)
}

/** The parts of a ConfigMap, or of a custom object, that clients of the simulation write. */
export interface Shown {
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string; readonly labels?: { readonly in?: string } }
  readonly data?: { readonly text?: string; readonly patched?: string }
  readonly spec?: { readonly text?: string; readonly shared?: string }
}

/** Called with decoded objects, from answers and from the store; for the latter the store supplies the version. */
export function contentOf(object: Shown, version = Number(object.metadata.resourceVersion)): Content {
  return { version, text: object.data?.text ?? "", patched: object.data?.patched ?? "", label: object.metadata.labels?.in ?? "" }
}

export function sameContent(left: Content | undefined, right: Content | undefined): boolean {
  if (left === undefined || right === undefined) return left === right
  return left.version === right.version && left.text === right.text && left.patched === right.patched && left.label === right.label
}
