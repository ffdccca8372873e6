/** Compaction among several servers: which server compacts now, and how far the store was compacted. */
import { RpcError, type Connection } from "./connection.ts"
import { isFault } from "./failures.ts"
import { compareResult, compareTarget, rangeCall, txnCall } from "./protocol.ts"
import { leastKey } from "./ranges.ts"

/**
 * The key that every API server of the reference uses, and so does this one: servers of both kinds may share a store.
 * Outside every prefix.
 */
const turnKey = "compact_rev_key"

/**
 * Called once per interval and server. `turn`: the key's version when this server last read it. The first server in an
 * interval writes the key, with the present revision; the others learn its new version. Throws RpcError.
 */
export async function takeTurnToCompact(
  connection: Connection,
  options: { turn: number; revision: number },
): Promise<{ taken: boolean; turn: number }> {
  const { revision, turn } = options
  const { responses, succeeded } = await connection.call(txnCall, {
    compare: [{ result: compareResult.equal, target: compareTarget.version, key: turnKey, version: turn }],
    success: [{ put: { key: turnKey, value: Buffer.from(String(revision)) } }],
    failure: [{ range: { key: turnKey } }],
  })
  if (succeeded) return { taken: true, turn: turn + 1 }
  return { taken: false, turn: responses[0]?.range?.kvs[0]?.version ?? 0 }
}

/**
 * The oldest readable revision; 0 when nothing was compacted. etcd reports it only to a watch that begins too early.
 * Throws RpcError.
 */
export async function compactedRevision(connection: Connection): Promise<number> {
  try {
    await connection.call(rangeCall, { key: leastKey, revision: 1, countOnly: true })
    return 0
  } catch (error) {
    if (!(error instanceof RpcError && isFault(error.fault, "compacted"))) throw error
  }
  return new Promise((resolve, reject) => {
    const stream = connection.watch({
      onResponse({ compactRevision }) {
        if (compactRevision === 0) return
        stream.cancel()
        resolve(compactRevision)
      },
      onEnd: (fault) => reject(new RpcError(fault)),
    })
    stream.send({ create: { key: leastKey, startRevision: 1 } })
  })
}
