/**
 * The process that the crash test kills: many writers on one embedded store, a line on stdout for every acknowledged
 * commit, and an occasional compaction. Ends only by a signal.
 */
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import type { Store, Write } from "../../runtime/storage/store.ts"

const [dir = "", round = "0"] = process.argv.slice(2)
const writers = 32
const compactEvery = 500
const historyKept = 200

const store = await openLmdbStore({ dir, clock: systemClock })
await Promise.all(Array.from({ length: writers }, (_, writer) => writeForever(store, writer)))

async function writeForever(into: Store, writer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const key = `/crash/${writer}/${turn % 5}`
    // Values of many sizes, so that some take pages of their own.
    const value = `${round}-${writer}-${turn}-${"x".repeat((turn * 131) % 12_000)}`
    const write: Write = turn % 7 === 6 ? { type: "delete", key } : { type: "put", key, value: Buffer.from(value) }
    const result = await into.commit({
      checks: [],
      writes: [write, { type: "put", key: `/turn/${writer}`, value: Buffer.from(`${turn}`) }],
    })
    const written = write.type === "delete" ? "-" : value
    // Synchronous for pipes: the parent has a line before the next commit. The dot distinguishes a complete line from a
    // truncated one.
    process.stdout.write(`${result.revision} ${key} ${written} .\n`)
    if (writer === 0 && result.revision % compactEvery < writers)
      void into.compact({ revision: Math.max(1, result.revision - historyKept) })
  }
}
