/**
 * Inspects the expiry table: it may hold only current versions, each at its own time. (The inspection of the index
 * finds missing entries.)
 */
import { asBuffer, createIndexKeys, decodeVersion, readExpiryKey, type RecordVersion } from "../layout.ts"
import type { Inspector } from "./inspector.ts"

/** Called last. */
export async function inspectExpiry(inspector: Inspector): Promise<void> {
  const { environment, transaction, fault } = inspector
  const keys = createIndexKeys()
  for (const entry of environment.expiry.getRange({ transaction })) {
    await inspector.step()
    if (entry.key.length <= 8) {
      fault(`the expiry table has an entry without a key: ${Buffer.from(entry.key).toString("hex")}`)
      continue
    }
    const due = readExpiryKey(entry.key)
    const key = due.key.toString()
    const version = readVersion(entry.value)
    const current = readVersion(environment.index.get(keys.current(due.key), { transaction }))
    const at = { key, revision: version?.modRevision ?? 0 }
    if (version === undefined) fault("its entry in the expiry table has no version", at)
    else if (current?.modRevision !== version.modRevision) fault("it falls due although it is not current", at)
    else if (Math.ceil(current.expiresAtMs) !== due.expiresAtMs) fault(`it falls due at ${due.expiresAtMs} ms, not at its end`, at)
  }
}

function readVersion(bytes: Uint8Array | undefined): RecordVersion | undefined {
  try {
    return bytes === undefined ? undefined : decodeVersion(asBuffer(bytes))
  } catch {
    return undefined
  }
}
