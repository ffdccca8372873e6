/**
 * A process that exits while its store writes does end, whatever the store's thread does at that moment, and loses no
 * acknowledged write. `EXIT_ROUNDS` sets the number of exits.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../runtime/base/clock.ts"
import { openLmdbStore } from "../../runtime/storage/lmdb/lmdb-store.ts"
import { testSeed } from "../support/seed.ts"

const rounds = Number(process.env.EXIT_ROUNDS ?? 8)
const seed = testSeed()
const script = fileURLToPath(new URL("exiting-writer.ts", import.meta.url))
/** Not a limit of the program: a process that has not ended by then hangs. */
const hangMs = 60_000

test(`${rounds} exits within writes end the process and lose nothing`, { timeout: hangMs + rounds * 10_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), "exit-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (let round = 0; round < rounds; round++) {
    const draw = (seed + round * 7919) % 1000
    const ended = await exitWithinWrites(dir, 64 + draw, draw % 10)
    expect(ended).toMatchObject({ code: 7, signal: null, errors: "" })
    await expectThere(dir, ended.acknowledged)
  }
})

async function exitWithinWrites(dir: string, commits: number, delayMs: number) {
  const args = ["--import", "tsx", script, dir, `${commits}`, `${delayMs}`]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], timeout: hangMs, killSignal: "SIGKILL" })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  )
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { ...(await exited), errors, acknowledged: output.split("\n").filter((line) => line !== "") }
}

async function expectThere(dir: string, keys: readonly string[]): Promise<void> {
  expect(keys.length).toBeGreaterThan(0)
  const store = await openLmdbStore({ dir, clock: systemClock })
  const found = await Promise.all(keys.map((key) => store.get({ key })))
  await store.close()
  expect(keys.filter((_key, index) => found[index] === undefined)).toEqual([])
}
