/** Inspects the log: every revision since the last sweep is present and complete, and every record is in the index. */
import { type ValidRecord, readValidRecord } from "./record.ts"
import { asBuffer, createIndexKeys, decodeVersion, tombstone, revisionOfLogKey } from "../layout.ts"
import type { Inspector } from "./inspector.ts"

interface LogPlace {
  readonly revision: number
  readonly place: number
}

/** Resolves with the number of values in the log. */
export async function inspectLog(inspector: Inspector): Promise<number> {
  const { environment, transaction, fault, state } = inspector
  const isIndexed = indexLookup(inspector)
  let values = 0
  let before: LogPlace = { revision: state.sweptRevision, place: 0 }
  for (const entry of environment.log.getRange({ transaction })) {
    await inspector.step()
    if (entry.key.length !== 12) {
      fault(`the log has an entry that is no revision: ${Buffer.from(entry.key).toString("hex")}`)
      continue
    }
    const at = revisionOfLogKey(entry.key)
    if (at.revision > state.sweptRevision) before = inspectOrder(inspector, before, at)
    const record = readValidRecord(entry.value)
    if (typeof record === "string") {
      fault(record, at)
      continue
    }
    const key = record.key.toString()
    if (!isIndexed(record, at)) fault("the log has it, but the index does not", { key, revision: at.revision })
    if (record.type !== "put") continue
    values++
    const wrong = inspector.checkValue?.({ key, value: record.value, revision: at.revision })
    if (wrong !== undefined) fault(wrong, { key, revision: at.revision })
  }
  if (before.revision < state.revision && state.revision > Math.max(1, state.sweptRevision)) {
    const first = Math.max(2, before.revision + 1)
    fault(`the log ends at revision ${before.revision}, but the store is at ${state.revision}`, { revision: first })
  }
  return values
}

/**
 * Revisions grow by one, and so do places within a commit; the first written revision is 2. Returns the place to
 * continue from.
 */
function inspectOrder({ fault, state }: Inspector, before: LogPlace, at: LogPlace): LogPlace {
  const { revision, place } = at
  const expected =
    revision === before.revision ? { revision, place: before.place + 1 } : { revision: Math.max(2, before.revision + 1), place: 0 }
  if (revision !== expected.revision) fault(`revisions ${expected.revision} to ${revision - 1} are missing from the log`, { revision })
  else if (place !== expected.place) fault(`write ${expected.place} of its commit is missing from the log`, { revision })
  if (revision > state.revision) fault(`it is newer than the store, which is at ${state.revision}`, { revision })
  return at
}

/** Whether the index has the version of a record, as the current one or a past one. */
function indexLookup({ environment, transaction }: Inspector): (record: ValidRecord, at: LogPlace) => boolean {
  const keys = createIndexKeys()
  return (record, { revision, place }) => {
    const current = environment.index.get(keys.current(record.key), { transaction })
    const past = (): Buffer | undefined => environment.index.get(keys.past(record.key, revision), { transaction })
    if (record.type === "delete") return past()?.length === tombstone.length
    return isVersion(current, revision, place) || isVersion(past(), revision, place)
  }
}

function isVersion(bytes: Uint8Array | undefined, revision: number, place: number): boolean {
  if (bytes === undefined || bytes.length === tombstone.length) return false
  try {
    const version = decodeVersion(asBuffer(bytes))
    return version?.modRevision === revision && version.place === place
  } catch {
    // The inspection of the index reports it.
    return false
  }
}
