/**
 * JSON that writers have already made, waiting for the event of their commit. An expectation is claimed by the event
 * with the same key and the same value bytes: then the JSON is right whichever server committed it, because equal
 * stored bytes are equal objects. A writer takes back an expectation that will never be claimed; one with an unknown
 * outcome (the store never answered) is dropped by the next claim on its key, or at the byte limit, oldest first.
 */
import type { ApiObject } from "../../base/json.ts"

/** A writer's announcement before its commit. */
export interface Expectation {
  readonly value: Uint8Array
  readonly json: (revision: number) => Buffer
  readonly object?: ApiObject
}

/** Decoded objects and closures beside the value bytes; a rough figure that only the limit uses. */
const overheadBytes = 1024

/** The announcements of one resource. */
export class Expectations {
  /** In order of announcement; a key announced again moves to the end. */
  private readonly byKey = new Map<string, Expectation[]>()
  private bytes = 0

  constructor(private readonly limitBytes: number) {}

  /** Read by tests. */
  get pendingBytes(): number {
    return this.bytes
  }

  /** Called before a commit. */
  add(key: string, expectation: Expectation): void {
    const waiting = this.byKey.get(key) ?? []
    this.byKey.delete(key)
    this.byKey.set(key, waiting)
    waiting.push(expectation)
    this.bytes += cost(expectation)
    for (const [oldest, dropped] of this.byKey) {
      if (this.bytes <= this.limitBytes) break
      this.byKey.delete(oldest)
      for (const each of dropped) this.bytes -= cost(each)
    }
  }

  /** Called for every put event. Takes the expectation with these bytes and drops the older ones of the key. */
  claim(key: string, value: Uint8Array): Expectation | undefined {
    const waiting = this.byKey.get(key)
    if (waiting === undefined) return undefined
    const index = waiting.findIndex((each) => each.value === value || Buffer.compare(each.value, value) === 0)
    if (index < 0) return undefined
    const claimed = waiting[index]
    for (const superseded of waiting.splice(0, index + 1)) this.bytes -= cost(superseded)
    if (waiting.length === 0) this.byKey.delete(key)
    return claimed
  }

  /**
   * Called when the commit did not happen. `value`: the announced bytes themselves; another writer may have announced
   * equal ones.
   */
  withdraw(key: string, value: Uint8Array): void {
    const waiting = this.byKey.get(key)
    const index = waiting?.findIndex((each) => each.value === value) ?? -1
    if (waiting === undefined || index < 0) return
    for (const failed of waiting.splice(index, 1)) this.bytes -= cost(failed)
    if (waiting.length === 0) this.byKey.delete(key)
  }
}

function cost(expectation: Expectation): number {
  return expectation.value.byteLength + overheadBytes
}
