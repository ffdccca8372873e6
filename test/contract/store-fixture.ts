/** The options of the store contract, and the functions that its cases share. */
import { setImmediate } from "node:timers/promises"
import type { Check, CommitResult, Store, StoredValue, StoreEvent, Write } from "../../runtime/storage/store.ts"
import { StoreError } from "../../runtime/storage/store.ts"
import type { ManualClock } from "./manual-clock.ts"

/** A place where a driver keeps data; empty at the start of every case. */
export interface StorePlace {
  readonly clock: ManualClock
  /** Opens the store there; persistent drivers reopen it after a close. */
  open(): Promise<Store>
  /**
   * For stores behind a network: whether no work is in flight any more. Absent: a few turns of the event loop are
   * enough.
   */
  quiet?(): Promise<boolean>
  /** Called after the case, with every store closed. */
  dispose?(): Promise<void>
}

export interface StoreContractOptions {
  readonly driver: string
  /** Data survives `close`. */
  readonly persistent: boolean
  place(): Promise<StorePlace>
  /** Cases left out, each with its reason. */
  readonly skip?: readonly { readonly reason: string; readonly cases: readonly string[] }[]
}

export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const text = (stored: { readonly value?: Uint8Array } | undefined): string | undefined =>
  stored?.value === undefined ? undefined : Buffer.from(stored.value).toString()

export const put = (key: string, value: string, ttlSeconds?: number): Write => ({
  type: "put",
  key,
  value: bytes(value),
  ...(ttlSeconds !== undefined && { ttlSeconds }),
})
export const remove = (key: string): Write => ({ type: "delete", key })

/** Commits and expects success; returns the revision. */
export async function write(store: Store, writes: readonly Write[], checks: readonly Check[] = []): Promise<number> {
  const result = await store.commit({ checks, writes })
  if (!result.ok) throw new Error(`the commit met ${[...result.current.keys()].join(", ")}`)
  return result.revision
}

/** Expects the commit to fail its checks; returns the present values. */
export function failedOf(result: CommitResult): ReadonlyMap<string, StoredValue | undefined> {
  if (result.ok) throw new Error(`the commit happened at ${result.revision}`)
  return result.current
}

/** `put foo/a=1@2`, `delete foo/a@3 was 1@2`: an event in the form that the cases compare. */
export function shown(event: StoreEvent): string {
  const now = event.type === "put" ? `=${text(event)}` : ""
  const was = event.previous === undefined ? "" : ` was ${text(event.previous)}@${event.previous.modRevision}`
  return `${event.type} ${event.key}${now}@${event.revision}${was}`
}

export interface Recording {
  readonly events: StoreEvent[]
  readonly revisions: number[]
  ended?: StoreError
  stop(): void
}

/** Watches and records the events. */
export async function record(store: Store, options: { prefix?: string; afterRevision: number }): Promise<Recording> {
  const recording: Recording = { events: [], revisions: [], stop: () => undefined }
  const { stop } = await store.watch({
    prefix: options.prefix ?? "",
    afterRevision: options.afterRevision,
    onEvents: (events, revision) => {
      recording.events.push(...events)
      recording.revisions.push(revision)
    },
    onEnd: (error) => {
      recording.ended = error
    },
  })
  recording.stop = stop
  return recording
}

/** Waits until the condition holds; the test runner's time limit is the only limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setImmediate()
}

/** The code of the StoreError with which the call fails. */
export async function codeOf(call: Promise<unknown>): Promise<StoreError["code"] | "none"> {
  try {
    await call
    return "none"
  } catch (error) {
    if (error instanceof StoreError) return error.code
    throw error
  }
}
