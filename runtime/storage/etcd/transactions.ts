/** A commit as one transaction of etcd: compare, then write, or else read the present values. */
import type { Check, StoredValue, Write } from "../store.ts"
import type { Compare, KeyValue, RequestOperation, TxnResponse } from "./protocol.ts"
import { compareResult, compareTarget } from "./protocol.ts"

/** The transaction for a commit. `leases`: the leases of the puts with a time to live, by key. */
export function transactionOf(
  checks: readonly Check[],
  writes: readonly Write[],
  leases: ReadonlyMap<string, number>,
): { compare: readonly Compare[]; success: readonly RequestOperation[]; failure: readonly RequestOperation[] } {
  return {
    compare: checks.map(({ key, modRevision }) => ({
      result: compareResult.equal,
      target: compareTarget.modRevision,
      key,
      modRevision,
    })),
    success: writes.map((write) => operationOf(write, leases.get(write.key) ?? 0)),
    failure: checks.map(({ key }) => ({ range: { key } })),
  }
}

function operationOf(write: Write, lease: number): RequestOperation {
  if (write.type === "delete") return { deleteRange: { key: write.key } }
  return { put: { key: write.key, value: write.value, lease } }
}

/** For a transaction whose checks failed: the present value for each failed check, undefined for no such key. */
export function failedChecks(
  checks: readonly Check[],
  response: TxnResponse,
  storedValue: (kv: KeyValue) => StoredValue,
): Map<string, StoredValue | undefined> {
  const current = new Map<string, StoredValue | undefined>()
  for (const [index, { key, modRevision }] of checks.entries()) {
    const [kv] = response.responses[index]?.range?.kvs ?? []
    if ((kv?.modRevision ?? 0) !== modRevision) current.set(key, kv === undefined ? undefined : storedValue(kv))
  }
  return current
}

/**
 * For a transaction that succeeded: the keys that it changed. Deleting a missing key changes nothing and causes no
 * event.
 */
export function changedKeys(writes: readonly Write[], response: TxnResponse): readonly string[] {
  const changed: string[] = []
  for (const [index, { key, type }] of writes.entries()) {
    if (type === "put" || (response.responses[index]?.deleteRange?.deleted ?? 0) > 0) changed.push(key)
  }
  return changed
}
