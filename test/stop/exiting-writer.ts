/**
 * The process of the exit test: many writers on one embedded store, a line on stdout for every acknowledged commit.
 * Once it has acknowledged some, it exits at a moment between the turns of its event loop, as an
 * impatient program does.
 */
import { writeSync } from "node:fs"
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"

const [dir = "", commits = "1", delayMs = "0"] = process.argv.slice(2)
const writers = 64

const store = await openLmdbStore({ dir, clock: systemClock })
let acknowledged = 0

async function writeForever(writer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const key = `/exit/${writer}/${process.pid}-${turn}`
    await store.commit({ checks: [], writes: [{ type: "put", key, value: Buffer.alloc(2000, 120) }] })
    tell(`${key}\n`)
    if (++acknowledged === Number(commits)) setTimeout(() => process.exit(7), Number(delayMs))
  }
}
/** Writes synchronously: data in a stream is lost with the process. Tries again while the pipe is full. */
function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
    }
  }
}

await Promise.all(Array.from({ length: writers }, (_, writer) => writeForever(writer)))
