import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { isObject } from "../base/json.ts"
import { normalize } from "../encoding/normalize.ts"
import type { TypeShape } from "../schema/shape.ts"
import { keepStoredOnly } from "./keep-stored-only.ts"

const text = { scalar: "string" } as const
const item: TypeShape = {
  name: "test.v1.Item",
  fields: [
    { name: "name", type: text },
    { name: "seen", type: text },
    { name: "hidden", type: text },
  ],
}
const shape: TypeShape = {
  name: "test.v1.Kind",
  fields: [
    { name: "seen", type: text },
    { name: "hidden", type: text },
    { name: "below", type: { ref: () => item }, pointer: true },
    { name: "keyed", type: { list: { ref: () => item } }, listType: "map", mapKeys: ["name"] },
    { name: "plain", type: { list: { ref: () => item } } },
    { name: "whole", type: { list: { ref: () => item } }, listType: "atomic" },
    { name: "byName", type: { map: { ref: () => item } } },
  ],
}

/** The value as another version shows it: everything but `hidden`. */
function shown(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shown)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (name === "hidden" || one === undefined ? [] : [[name, shown(one)]])),
  )
}

function visible(object: JsonObject): JsonObject {
  const seen = shown(object)
  return isObject(seen) ? seen : {}
}

const word = fc.constantFrom("a", "b", "c")
const anItem = fc.record({ name: word, seen: word, hidden: word }, { requiredKeys: ["name"] })
const anObject: fc.Arbitrary<JsonObject> = fc.record(
  {
    seen: word,
    hidden: word,
    below: anItem,
    keyed: fc.uniqueArray(anItem, { selector: ({ name }) => name, maxLength: 3 }),
    plain: fc.array(anItem, { maxLength: 3 }),
    byName: fc.dictionary(word, anItem, { maxKeys: 2 }),
  },
  { requiredKeys: [] },
)

function kept(old: JsonObject, next: JsonObject): JsonObject {
  return normalize(shape, keepStoredOnly(shape, { old, returned: visible(old), next }), { typeMeta: false }).object
}

function normal(object: JsonObject): JsonObject {
  return normalize(shape, object, { typeMeta: false }).object
}

describe("what only the stored version has", () => {
  it("stays whole when a client writes back what it saw", () => {
    fc.assert(
      fc.property(anObject, (old) => {
        expect(kept(old, visible(old))).toEqual(normal(old))
      }),
    )
  })

  it("changes nothing that the client sees", () => {
    fc.assert(
      fc.property(anObject, anObject, (old, next) => {
        expect(visible(kept(old, visible(next)))).toEqual(visible(normal(visible(next))))
      }),
    )
  })

  it("stays where its parent does, and goes with it", () => {
    fc.assert(
      fc.property(anObject, anObject, (old, sent) => {
        const next = visible(sent)
        const after = kept(old, next)
        expect(after.hidden).toBe(old.hidden)
        const [before, below] = [old.below, next.below]
        const hidden = isObject(before) && isObject(below) ? before.hidden : undefined
        expect(isObject(after.below) ? after.below.hidden : undefined).toBe(hidden)
        const oldKeyed = Array.isArray(old.keyed) ? old.keyed.filter(isObject) : []
        for (const one of Array.isArray(after.keyed) ? after.keyed.filter(isObject) : [])
          expect(one.hidden).toBe(oldKeyed.find(({ name }) => name === one.name)?.hidden)
      }),
    )
  })

  it("pairs items without keys by index, and only in lists of one length", () => {
    const old = {
      plain: [
        { name: "a", hidden: "1" },
        { name: "b", hidden: "2" },
      ],
    }
    expect(kept(old, { plain: [{ name: "x" }, { name: "b" }] })).toEqual({
      plain: [
        { name: "x", hidden: "1" },
        { name: "b", hidden: "2" },
      ],
    })
    expect(kept(old, { plain: [{ name: "b" }] })).toEqual({ plain: [{ name: "b" }] })
  })

  it("takes an atomic list whole, whose items a conversion may have moved", () => {
    const old = { whole: [{ name: "a", hidden: "1" }, { name: "b" }] }
    const returned = { whole: [{ name: "b" }, { name: "a" }] }
    const next = { whole: [{ name: "b" }, { name: "x" }] }
    expect(keepStoredOnly(shape, { old, returned, next })).toEqual(next)
    expect(keepStoredOnly(shape, { old, returned, next: { ...returned, seen: "a" } })).toEqual({ ...old, seen: "a" })
  })

  it("does not come back over what the client set", () => {
    const old = { hidden: "stored" }
    expect(keepStoredOnly(shape, { old, returned: {}, next: { hidden: "set" } })).toEqual({ hidden: "set" })
    const lossless = { seen: "a" }
    const next = { seen: "b" }
    expect(keepStoredOnly(shape, { old: lossless, returned: { seen: "a" }, next })).toBe(next)
  })
})
