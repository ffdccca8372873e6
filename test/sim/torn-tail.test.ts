/**
 * The real data file after a power cut: pages that were being written reach the disk completely, partly or not at all,
 * in any order, and the end of the file may hold anything. Until the page with the new state is written, the store has
 * its previous state. Promise 1 of the design.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { verifyLmdb } from "../../runtime/storage/lmdb/backup.ts"
import { ByteWriter, writeCommit } from "../../runtime/storage/lmdb/batch.ts"
import { createEngine } from "../../runtime/storage/lmdb/engine.ts"
import { dataFile, openEnvironment } from "../../runtime/storage/lmdb/environment.ts"
import type { Write } from "../../runtime/storage/store.ts"
import { createRandom, type SeededRandom } from "./world/random.ts"

const seed = Number(process.env.SIM_SEED ?? 1)
const rounds = 60
/** The layout of the file as `openEnvironment` creates it; the first two pages alternately hold the newest state. */
const pageBytes = 8192
const metaPages = 2
/** Unit that a disk writes atomically. */
const sectorBytes = 512

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "torn-"))
})
afterEach(() => rmSync(dir, { recursive: true }))

it(`a torn batch is a batch that did not happen (SIM_SEED=${seed})`, { timeout: 120_000 }, async () => {
  const random = createRandom(seed, "torn")
  const live = join(dir, "live")
  const environment = openEnvironment({ dir: live })
  const engine = createEngine(environment)
  const outcomes = { before: 0, after: 0 }
  let revision = engine.apply(batchOf([[{ type: "put", key: "first/key", value: Buffer.of(1) }]])).revision
  for (let round = 0; round < rounds; round++) {
    const before = readFileSync(join(live, dataFile))
    const written = engine.apply(batchOf(drawBatch(random))).revision
    const after = readFileSync(join(live, dataFile))
    const named = random.chance(0.3)
    expect(await revisionOf(named ? withGarbage(random, after) : torn(random, before, after)), `round ${round}`).toBe(
      named ? written : revision,
    )
    outcomes[named ? "after" : "before"]++
    revision = written
  }
  await environment.root.close()
  expect(outcomes.before).toBeGreaterThan(0)
  expect(outcomes.after).toBeGreaterThan(0)
})

/** The file with everything flushed except the page that holds the state, each page at random. */
function torn(random: SeededRandom, before: Buffer, after: Buffer): Buffer {
  const image = Buffer.alloc(after.length)
  for (let at = before.length; at < image.length; at += sectorBytes) random.bytes(16).copy(image, at)
  before.copy(image)
  for (let at = metaPages * pageBytes; at < after.length; at += pageBytes) {
    const page = after.subarray(at, at + pageBytes)
    if (page.equals(before.subarray(at, at + pageBytes)) || random.chance(0.3)) continue
    for (let sector = 0; sector < page.length; sector += sectorBytes) {
      if (random.chance(0.2)) continue
      page.copy(image, at + sector, sector, sector + sectorBytes)
    }
  }
  // The file may not have grown at all.
  return random.chance(0.3) ? image.subarray(0, before.length) : image
}

/** The file with arbitrary old content at its grown end. */
function withGarbage(random: SeededRandom, after: Buffer): Buffer {
  return Buffer.concat([after, random.bytes(1 + random.integer(3 * pageBytes))])
}

/** Opens a copy, reads everything in it, and writes to it: the next batch must find consistent data. */
async function revisionOf(image: Buffer): Promise<number> {
  const copy = join(dir, "copy")
  mkdirSync(copy)
  writeFileSync(join(copy, dataFile), image)
  const { revision } = await verifyLmdb(copy)
  const environment = openEnvironment({ dir: copy })
  const next = createEngine(environment).apply(batchOf([[{ type: "put", key: "next/key", value: Buffer.of(2) }]])).revision
  await environment.root.close()
  rmSync(copy, { recursive: true })
  expect(next).toBe(revision + 1)
  return revision
}

function drawBatch(random: SeededRandom): Write[][] {
  return Array.from({ length: 1 + random.integer(6) }, (): Write[] => {
    const key = `things/${random.integer(40)}`
    if (random.chance(0.25))
      return [
        { type: "delete", key },
        { type: "put", key: "first/key", value: random.bytes(3) },
      ]
    return [{ type: "put", key, value: random.bytes(1 + random.integer(random.chance(0.1) ? 20_000 : 300)) }]
  })
}

function batchOf(commits: readonly Write[][]): Buffer {
  const writer = new ByteWriter(64)
  writer.u32(commits.length)
  for (const writes of commits) writeCommit(writer, { checks: [], writes }, () => 0)
  return writer.bytes.subarray(0, writer.length)
}
