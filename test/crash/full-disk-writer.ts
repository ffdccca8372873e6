/**
 * Runs on a small file system of its own (full-disk.test.ts): fills it, checks what still works, makes room, and checks
 * whether the store recovers by itself. Prints one JSON line of findings.
 */
import { statfsSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import type { Store } from "../../runtime/storage/store.ts"
import { StoreError } from "../../runtime/storage/store.ts"

const [place = ""] = process.argv.slice(2)
const dir = join(place, "store")
const filler = join(place, "filler")
const value = Buffer.alloc(50_000, 1)

writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024))
const store = await openLmdbStore({ dir, clock: systemClock })
const heard: number[] = []
await store.watch({
  prefix: "",
  afterRevision: 1,
  onEvents: (events) => heard.push(...events.map((event) => event.revision)),
  onEnd: () => undefined,
})

const { written, code } = await fill(store)
const whileFull = await store.status()
const readable = (await store.list({ prefix: "/fill/" })).items.length
unlinkSync(filler)
while ((await store.status()).fault !== undefined) await nextTurn()
const after = await store.commit({ checks: [{ key: "/fill/0", modRevision: 2 }], writes: [{ type: "put", key: "/after", value }] })
await store.close()
const again = await openLmdbStore({ dir, clock: systemClock })
const { revision } = await again.status()
await again.close()
const { bavail, bsize } = statfsSync(place)
process.stdout.write(
  `${JSON.stringify({ written, code, fault: whileFull.fault, readable, after, heard: heard.length, revision, room: bavail * bsize > 0 })}\n`,
)

async function fill(into: Store): Promise<{ written: number; code: string }> {
  for (let index = 0; ; index++) {
    try {
      await into.commit({ checks: [], writes: [{ type: "put", key: `/fill/${index}`, value }] })
    } catch (error) {
      return { written: index, code: error instanceof StoreError ? error.code : String(error) }
    }
  }
}
