import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createManualClock } from "../../../../test/contract/manual-clock.ts"
import { put, remove, write } from "../../../../test/contract/store-fixture.ts"
import { verifyLmdb } from "../backup.ts"
import { type Environment, metaKeys, openEnvironment } from "../environment.ts"
import { faultText, inspectLmdb } from "./inspect.ts"
import { createIndexKeys, encodeState, encodeVersion, expiryKey, logKey, readIndexKey } from "../layout.ts"
import { openLmdbStore } from "../lmdb-store.ts"
import type { InspectOptions } from "./inspector.ts"

const clock = createManualClock()
const keys = createIndexKeys()
const dueMs = clock.nowMs() + 60_000
let dir: string

/** Revisions 2 to 8: a, b with a second write, c deleted, d in one commit with b, e with a time to live. */
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "inspect-"))
  const store = await openLmdbStore({ dir, clock })
  await write(store, [put("foo/a", "one")])
  await write(store, [put("foo/b", "two")])
  await write(store, [put("foo/c", "three")])
  await write(store, [put("foo/b", "four"), put("foo/d", "five")])
  await write(store, [remove("foo/c")])
  await write(store, [put("foo/e", "six", 60)])
  await write(store, [put("foo/a", "seven")])
  await store.close()
})
afterEach(() => rmSync(dir, { recursive: true }))

async function faults(options: Omit<InspectOptions, "onFault"> = {}): Promise<string[]> {
  const found: string[] = []
  await inspectLmdb(dir, { ...options, onFault: (fault) => found.push(faultText(fault)) })
  return found
}

/** Changes the store in a way that no server does. */
async function damage(action: (environment: Environment) => void): Promise<void> {
  const environment = openEnvironment({ dir })
  environment.root.transactionSync(() => action(environment))
  await environment.root.close()
}

const state = { revision: 8, compactedRevision: 0, sweptRevision: 0, keys: 4 }
const version = (modRevision: number, createRevision: number, place = 0, expiresAtMs = 0): Buffer =>
  Buffer.from(encodeVersion({ modRevision, createRevision, expiresAtMs, place, checksum: undefined }))
const current = (key: string): Buffer => Buffer.from(keys.current(Buffer.from(key)))
const past = (key: string, revision: number): Buffer => Buffer.from(keys.past(Buffer.from(key), revision))

test("finds no fault in a valid store and counts its values", async () => {
  expect(await faults()).toEqual([])
  expect(await inspectLmdb(dir, { onFault: () => undefined })).toMatchObject({ revision: 8, compactedRevision: 0, keys: 4, values: 7 })
})

test("finds no fault in a store that was compacted, completely or half way", async () => {
  const store = await openLmdbStore({ dir, clock })
  await store.compact({ revision: 6 })
  expect(await faults()).toEqual([])
  await store.compact({ revision: 8 })
  await store.close()
  expect(await faults()).toEqual([])
  await damage(({ meta }) => meta.putSync(metaKeys.state, encodeState({ ...state, compactedRevision: 8, sweptRevision: 8 })))
  expect(await faults()).toEqual([])
})

test("hashes keys and values but not versions", async () => {
  const before = await inspectLmdb(dir, { onFault: () => undefined })
  const store = await openLmdbStore({ dir, clock })
  await write(store, [put("foo/a", "seven")])
  expect((await inspectLmdb(dir, { onFault: () => undefined })).contentHash).toBe(before.contentHash)
  await write(store, [put("foo/a", "eight")])
  await store.close()
  expect((await inspectLmdb(dir, { onFault: () => undefined })).contentHash).not.toBe(before.contentHash)
})

test("passes all values, past ones too, to checkValue, and reports its faults with key and version", async () => {
  const shown: string[] = []
  const found = await faults({
    checkValue({ key, revision, value }) {
      shown.push(`${key}@${revision}=${Buffer.from(value).toString()}`)
      return revision === 5 && key === "foo/d" ? "it is odd" : undefined
    },
  })
  expect(shown).toEqual(["foo/a@2=one", "foo/b@3=two", "foo/c@4=three", "foo/b@5=four", "foo/d@5=five", "foo/e@7=six", "foo/a@8=seven"])
  expect(found).toEqual(["foo/d version 5: it is odd"])
})

const cases: readonly { name: string; damage: (environment: Environment) => void; faults: readonly string[] }[] = [
  {
    name: "a value that is missing",
    damage: ({ log }) => log.removeSync(logKey(5, 1)),
    faults: ["foo/d version 5: the log has no value of it"],
  },
  {
    name: "a revision that is missing",
    damage: ({ log }) => log.removeSync(logKey(4, 0)),
    faults: ["foo/c version 4: the log has no value of it", "version 5: revisions 4 to 4 are missing from the log"],
  },
  {
    name: "the newest revision missing",
    damage: ({ log }) => log.removeSync(logKey(8, 0)),
    faults: ["foo/a version 8: the log has no value of it", "version 8: the log ends at revision 7, but the store is at 8"],
  },
  {
    name: "a key that is missing from the index",
    damage: ({ index }) => index.removeSync(current("foo/d")),
    faults: ["foo/d version 5: the log has it, but the index does not", "the counter of keys says 4, but there are 3"],
  },
  {
    name: "a past version that is missing from the index",
    damage: ({ index }) => index.removeSync(past("foo/a", 2)),
    faults: [
      "foo/a version 8: it replaced version 2, but the one before it is missing",
      "foo/a version 2: the log has it, but the index does not",
    ],
  },
  {
    name: "an index entry of another version",
    damage: ({ index }) => index.putSync(current("foo/d"), version(5, 5, 0)),
    faults: ["foo/d version 5: its record in the log is of another key, foo/b", "foo/d version 5: the log has it, but the index does not"],
  },
  {
    name: "an entry that is no version",
    damage: ({ index }) => index.putSync(current("foo/d"), Buffer.alloc(5)),
    faults: [
      "foo/d: its entry in the index has 5 bytes, which is no version's length",
      "foo/d version 5: the log has it, but the index does not",
    ],
  },
  {
    name: "an index entry that is no key",
    damage: ({ index }) => index.putSync(Buffer.from("foo"), version(5, 5, 0)),
    faults: ["the index has an entry that is no key: 666f6f"],
  },
  {
    name: "a version from the future",
    damage: ({ meta }) => meta.putSync(metaKeys.state, encodeState({ ...state, revision: 7 })),
    faults: ["foo/a version 8: it is newer than the store, which is at 7", "version 8: it is newer than the store, which is at 7"],
  },
  {
    name: "a creation that index and log disagree about",
    damage: ({ index }) => index.putSync(current("foo/a"), version(8, 3)),
    faults: ["foo/a version 8: index and log disagree about its creation: 3 and 2"],
  },
  {
    name: "a record without its header",
    damage: ({ log }) => log.putSync(logKey(7, 0), Buffer.alloc(4)),
    faults: ["foo/e version 7: its record has 4 bytes, less than its header", "version 7: its record has 4 bytes, less than its header"],
  },
  {
    name: "a value with a changed letter",
    damage({ log }) {
      const record = Buffer.from(log.get(logKey(5, 1)) ?? "")
      record.write("F", record.length - 4)
      log.putSync(logKey(5, 1), record)
    },
    faults: ["foo/d version 5: its record in the log is not what was written: the checksum differs"],
  },
  {
    name: "a value without its expiry entry",
    damage: ({ expiry }) => expiry.removeSync(expiryKey(dueMs, Buffer.from("foo/e"))),
    faults: ["foo/e version 7: it should end at 2023-11-14T22:14:20.000Z, but nothing will end it"],
  },
  {
    name: "an expiry entry of a value that is not current",
    damage: ({ expiry }) => expiry.putSync(expiryKey(dueMs, Buffer.from("foo/b")), version(3, 3, 0, dueMs)),
    faults: ["foo/b version 3: it falls due although it is not current"],
  },
  {
    name: "a wrong counter",
    damage: ({ meta }) => meta.putSync(metaKeys.state, encodeState({ ...state, keys: 9 })),
    faults: ["the counter of keys says 9, but there are 4"],
  },
  {
    name: "history that should have been swept",
    damage: ({ meta }) => meta.putSync(metaKeys.state, encodeState({ ...state, compactedRevision: 3, sweptRevision: 9 })),
    faults: expect.arrayContaining([
      "the revisions of the store are out of order: swept 9, compacted 3, newest 8",
      "foo/a version 8: history before 9 was swept, but something of it is left",
    ]),
  },
]

test.each(cases)("reports $name", async ({ damage: action, faults: expected }) => {
  await damage(action)
  expect(await faults()).toEqual(expected)
  await expect(verifyLmdb(dir)).rejects.toMatchObject({ code: "unavailable" })
})

test("verification names the first fault and the number of faults", async () => {
  await damage(({ index }) => index.removeSync(current("foo/d")))
  await expect(verifyLmdb(dir)).rejects.toThrow(
    "is damaged: foo/d version 5: the log has it, but the index does not (and 1 more; `npm run cli -- store verify` names them)",
  )
})

test("distinguishes keys from past versions", () => {
  expect(readIndexKey(past("foo/a", 2))).toEqual({ key: "foo/a", revision: 2 })
})
