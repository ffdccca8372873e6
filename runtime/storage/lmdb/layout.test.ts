import fc from "fast-check"
import { expect, test } from "vitest"
import {
  createIndexKeys,
  decodeState,
  decodeVersion,
  encodeState,
  encodeVersion,
  expiryKey,
  tombstone,
  logKey,
  readExpiryKey,
  readIndexKey,
  revisionOfLogKey,
} from "./layout.ts"

const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const key = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes("\0"))

test("decodes versions, states and keys to what was encoded", () => {
  fc.assert(
    fc.property(revision, revision, fc.nat(), key, (first, second, place, name) => {
      for (const checksum of [undefined, place % 2 ** 32]) {
        const version = { modRevision: first, createRevision: second, expiresAtMs: place, place, checksum }
        expect(decodeVersion(Buffer.from(encodeVersion(version)))).toEqual(version)
      }
      const state = { revision: first, compactedRevision: second, sweptRevision: place, keys: place }
      expect(decodeState(encodeState(state))).toEqual(state)
      expect(revisionOfLogKey(logKey(first, place))).toEqual({ revision: first, place })
      const keys = createIndexKeys()
      expect(readIndexKey(keys.current(Buffer.from(name)))).toEqual({ key: name })
      expect(readIndexKey(keys.past(Buffer.from(name), first))).toEqual({ key: name, revision: first })
      expect(readExpiryKey(expiryKey(first, Buffer.from(name)))).toEqual({ expiresAtMs: first, key: Buffer.from(name) })
    }),
  )
  expect(decodeVersion(tombstone)).toBeUndefined()
})

test("log keys sort by revision, then place", () => {
  fc.assert(
    fc.property(revision, revision, fc.nat(), fc.nat(), (left, right, leftPlace, rightPlace) => {
      const order = left - right || leftPlace - rightPlace
      expect(Math.sign(Buffer.compare(logKey(left, leftPlace), logKey(right, rightPlace)))).toBe(Math.sign(order))
    }),
  )
})

test("index keys sort by key, then current before past, then newest first", () => {
  fc.assert(
    fc.property(key, key, revision, revision, (left, right, newer, older) => {
      fc.pre(left !== right && newer > older)
      const keys = createIndexKeys()
      const all = [left, right].flatMap((name) => [
        { name, rank: 0, bytes: Buffer.from(keys.current(Buffer.from(name))) },
        { name, rank: 1, bytes: Buffer.from(keys.past(Buffer.from(name), newer)) },
        { name, rank: 2, bytes: Buffer.from(keys.past(Buffer.from(name), older)) },
      ])
      const byBytes = all.toSorted((one, other) => Buffer.compare(one.bytes, other.bytes))
      const byMeaning = all.toSorted(
        (one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) || one.rank - other.rank,
      )
      expect(byBytes).toEqual(byMeaning)
    }),
  )
})
