/**
 * Promise 1: an acknowledged write survives a kill at any moment. `CRASH_ROUNDS` sets the number of kills (each takes
 * about a second).
 */
import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { verifyLmdb } from "../../runtime/storage/lmdb/backup.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import type { Store, StoreEvent } from "../../runtime/storage/store.ts"
import { testSeed } from "../support/seed.ts"

const rounds = Number(process.env.CRASH_ROUNDS ?? 4)
const seed = testSeed()

interface Acknowledged {
  readonly revision: number
  readonly key: string
  /** "-": deleted. */
  readonly value: string
}

test(`no acknowledged write is lost in ${rounds} kills`, { timeout: 60_000 + rounds * 10_000 }, async () => {
  const dir = await mkdtemp(join(tmpdir(), "crash-"))
  const acknowledged: Acknowledged[] = []
  let verified = 1
  for (let round = 0; round < rounds; round++) {
    const killAfter = 1 + ((seed + round * 7919) % 4000)
    acknowledged.push(...(await writeUntilKilled(dir, round, killAfter)))
    await verifyLmdb(dir)
    verified = await verifyStore(dir, acknowledged, verified)
  }
  await rm(dir, { recursive: true })
})

/** Starts writers, kills them after a number of acknowledgements, and returns all acknowledgements received. */
async function writeUntilKilled(dir: string, round: number, killAfter: number): Promise<Acknowledged[]> {
  const script = fileURLToPath(new URL("writer.ts", import.meta.url))
  const child = spawn(process.execPath, ["--import", "tsx", script, dir, `${round}`], { stdio: ["ignore", "pipe", "inherit"] })
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_code, signal) => resolve(signal)))
  const heard: Acknowledged[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // The kill may truncate the last line, which then does not count.
    const match = /^(\d+) (\S+) (\S*) \.$/.exec(line)
    if (match?.[1] !== undefined && match[2] !== undefined && match[3] !== undefined)
      heard.push({ revision: Number(match[1]), key: match[2], value: match[3] })
    if (heard.length === killAfter) child.kill("SIGKILL")
  }
  expect(await exited).toBe("SIGKILL")
  return heard
}

/** Returns the revision up to which everything was found in order. */
async function verifyStore(dir: string, acknowledged: readonly Acknowledged[], afterRevision: number): Promise<number> {
  const store = await openLmdbStore({ dir, clock: systemClock })
  const { revision, compactedRevision } = await store.status()
  for (const write of acknowledged)
    if (write.revision > revision) expect.fail(`the acknowledged revision ${write.revision} is lost; the store is at ${revision}`)
  const from = Math.max(afterRevision, compactedRevision)
  await expectContiguous(store, from, revision)
  for (const write of acknowledged) if (write.revision >= compactedRevision) await expectThere(store, write)
  await expectNewest(store, acknowledged)
  await store.close()
  return revision
}

/** A watch that resumes at the last process's revision gets every later revision once, in order. */
async function expectContiguous(store: Store, afterRevision: number, revision: number): Promise<void> {
  const events: StoreEvent[] = []
  const watch = await store.watch({ prefix: "", afterRevision, onEvents: (some) => events.push(...some), onEnd: () => undefined })
  watch.stop()
  const revisions = [...new Set(events.map((event) => event.revision))]
  expect(revisions).toEqual(Array.from({ length: revision - afterRevision }, (_, index) => afterRevision + 1 + index))
}

async function expectThere(store: Store, write: Acknowledged): Promise<void> {
  const stored = await store.get({ key: write.key, revision: write.revision })
  const found = stored === undefined ? "-" : Buffer.from(stored.value).toString()
  // Compared here instead of by the runner, which would print both long values.
  expect(found === write.value && (stored?.modRevision ?? write.revision) === write.revision, `${write.key} at ${write.revision}`).toBe(
    true,
  )
}

/** The last acknowledged write of a key is present, unless a later commit without acknowledgement followed. */
async function expectNewest(store: Store, acknowledged: readonly Acknowledged[]): Promise<void> {
  const newest = new Map<string, Acknowledged>()
  for (const write of acknowledged) if (write.revision >= (newest.get(write.key)?.revision ?? 0)) newest.set(write.key, write)
  for (const write of newest.values()) {
    const stored = await store.get({ key: write.key })
    if (stored !== undefined && stored.modRevision <= write.revision) {
      expect(Buffer.from(stored.value).equals(Buffer.from(write.value)), `the newest ${write.key}`).toBe(true)
    }
  }
}
