/**
 * Runs under a tracer that makes flushes fail for a while (failing-flush.test.ts): writes until a commit is refused,
 * checks what still works, and waits until the store accepts writes again. Prints one JSON line of findings.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import { StoreError } from "../../runtime/storage/store.ts"

const [dir = ""] = process.argv.slice(2)
/** More than the number of flushes that succeed at first. */
const untilRefused = 1000
const afterwards = 20

const store = await openLmdbStore({ dir, clock: systemClock })
const acknowledged: number[] = []
const refused: string[] = []
await writeOn(store, untilRefused)
const whileBroken = await store.status()
const readable = (await store.list({ prefix: "/write/" })).items.length
while ((await store.status()).fault !== undefined) await nextTurn()
const { length: before } = acknowledged
if (refused.length > 0) await writeOn(store, afterwards)
const { revision } = await store.status()
await store.close()
const found = {
  before,
  after: acknowledged.length - before,
  last: acknowledged.at(-1),
  refused,
  fault: whileBroken.fault,
  readable,
  revision,
}
process.stdout.write(`${JSON.stringify(found)}\n`)

/** Ends with the first commit that is refused. */
async function writeOn(into: Store, writes: number): Promise<void> {
  for (let write = 0; write < writes; write++) {
    const key = `/write/${acknowledged.length}`
    try {
      const result = await into.commit({ checks: [], writes: [{ type: "put", key, value: Buffer.from(key) }] })
      acknowledged.push(result.revision)
    } catch (error) {
      refused.push(error instanceof StoreError ? `${error.code}: ${error.message}` : String(error))
      return
    }
  }
}
