import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { withoutTurns } from "../../../test/support/pieces.ts"
import { unwrapUnknown, wrapUnknown } from "../../encoding/protobuf/codec.ts"
import type { ListPage } from "../../registry/read.ts"
import type { KindHandle } from "../../registry/registry.ts"
import type { CachedObject } from "../../storage/cache.ts"
import { protobufListPieces } from "../../wire/list-protobuf.ts"
import { Turns } from "../../base/turns.ts"
import { partialMessage } from "../render.ts"
import { HeldMessages, releasing } from "./held-messages.ts"

let at: OpenRegistry
let handle: KindHandle
/** Field 15, which ConfigMaps do not have, with the four bytes "news". */
const unknownField = Buffer.from([0x7a, 4, ...Buffer.from("news")])

beforeEach(async () => {
  at = await openRegistry()
  handle = await at.handle("configmaps")
  await handle.cache.ready
  for (const name of ["a", "b", "c"]) await store(name)
})

afterEach(() => at.close())

/** Stores an object with the unknown field, as a program with a newer schema would. */
async function store(name: string, text = "kept"): Promise<void> {
  const object = { metadata: { name, namespace: "default", uid: name }, data: { text } }
  const raw = Buffer.concat([handle.compact.encode(object), unknownField])
  const value = wrapUnknown({ apiVersion: handle.apiVersion, kind: handle.kind.kind, raw })
  const key = handle.key("default", name)
  const { revision } = await at.store.commit({ checks: [], writes: [{ type: "put", key, value }] })
  await handle.cache.waitFor(revision, 1000)
}

const objects = (): readonly CachedObject[] => [...handle.cache.snapshot().entries({ prefix: handle.prefix("") })]
const texts = () => objects().map((object) => object.json().toString())
const times = (bytes: Uint8Array, part: Buffer) => Buffer.from(bytes).toString("latin1").split(part.toString("latin1")).length - 1

const scope = () => ({ prefix: handle.prefix("") })

function begun(
  page: () => Pick<ListPage, "items" | "runs"> = () => ({ items: objects() }),
  asked = handle,
): { pieces: Generator<Uint8Array>; first: Uint8Array[] } {
  const turns = new Turns()
  const messages = new HeldMessages(asked, page(), turns)
  const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: {}, sizes: messages.sizes(), items: messages, turns }
  const pieces = withoutTurns(releasing(messages, protobufListPieces(list)))
  return { pieces, first: [pieces.next().value] }
}

test("a list is written as measured, even if its objects are read as JSON meanwhile", () => {
  const { first, pieces } = begun()
  const shown = texts()
  const { raw } = unwrapUnknown(Buffer.concat([...first, ...pieces]))
  expect(times(raw, unknownField)).toBe(3)
  expect(shown).toEqual(texts())
  for (const text of shown) expect(JSON.parse(text)).toMatchObject({ kind: "ConfigMap", data: { text: "kept" } })
})

test("a list of metadata with unknown fields is written as measured, too", async () => {
  // First inside the metadata, then after it.
  const raw = Buffer.concat([handle.compact.encode({ metadata: { name: "d", namespace: "default", uid: "d" } })])
  const length = raw[1] ?? 0
  const longer = Buffer.concat([raw.subarray(0, 1), Buffer.from([length + unknownField.length]), raw.subarray(2, 2 + length), unknownField])
  const value = wrapUnknown({ apiVersion: handle.apiVersion, kind: handle.kind.kind, raw: longer })
  const key = handle.key("default", "d")
  const { revision } = await at.store.commit({ checks: [], writes: [{ type: "put", key, value }] })
  await handle.cache.waitFor(revision, 1000)
  const form = { name: "partial", message: (object: CachedObject) => partialMessage({ handle }, object) }
  for (const unknown of [1, 0]) {
    const turns = new Turns()
    const messages = new HeldMessages(handle, { items: objects() }, turns, form)
    const list = { kind: "PartialObjectMetadataList", apiVersion: "v1", metadata: {}, sizes: messages.sizes(), items: messages, turns }
    const pieces = withoutTurns(releasing(messages, protobufListPieces(list)))
    const first = pieces.next().value
    texts()
    const whole = Buffer.concat([first, ...pieces])
    expect(times(whole, unknownField)).toBe(unknown)
    for (const name of ["a", "b", "c", "d"]) expect(times(whole, Buffer.from(`\n\x01${name}`))).toBe(1)
    expect(times(whole, Buffer.from("kept"))).toBe(0)
    // After the list, JSON replaces the stored values.
    texts()
  }
})

test("two lists pin the same objects independently", () => {
  const one = begun()
  const other = begun()
  texts()
  one.pieces.return(undefined)
  texts()
  expect(times(Buffer.concat([...other.first, ...other.pieces]), unknownField)).toBe(3)
  for (const object of objects()) expect(object.message?.()).toBeDefined()
})

test("when a list has ended or was abandoned, JSON replaces the stored value", () => {
  const { pieces } = begun()
  texts()
  pieces.return(undefined)
  for (const object of objects()) {
    expect(object.message?.()).toBeDefined()
    object.json()
    expect(object.message?.()).toBeUndefined()
  }
  const again = begun()
  expect(times(Buffer.concat([...again.first, ...again.pieces]), unknownField)).toBe(0)
})

test("the same list is sent from one cached piece the next time, with the same bytes", async () => {
  const snapshot = handle.cache.snapshot()
  const page = () => ({ items: snapshot.entries(scope()), runs: snapshot.ranges(scope()) })
  const whole = ({ first, pieces }: ReturnType<typeof begun>) => [...first, ...pieces]
  const lists = [whole(begun()), whole(begun(page)), whole(begun(page)), whole(begun(page))]
  expect(lists.map((list) => list.length)).toEqual([9, 9, 4, 4])
  for (const list of lists) expect(Buffer.concat(list)).toEqual(Buffer.concat(lists[0] ?? []))
  await store("d")
  expect(whole(begun(page))).toHaveLength(4)
  const newer = handle.cache.snapshot().ranges(scope())
  expect(times(Buffer.concat(whole(begun(() => ({ items: [], runs: newer })))), unknownField)).toBe(4)
})

test("a large object cached as JSON without encodings is encoded once per list after the first, which noted its length", async () => {
  await store("large", "x".repeat(20_000))
  texts()
  let encoded = 0
  const counting: KindHandle = {
    ...handle,
    compact: {
      ...handle.compact,
      encode(object) {
        encoded++
        return handle.compact.encode(object)
      },
    },
  }
  const items = objects()
    .slice(-1)
    .map((object): CachedObject => Object.assign(Object.create(object), { derived: (_form: string, make: () => Buffer) => make() }))
  const lists = [1, 2, 3].map(() => {
    const { first, pieces } = begun(() => ({ items }), counting)
    return { bytes: Buffer.concat([...first, ...pieces]), encoded }
  })
  expect(lists.map((list) => list.encoded)).toEqual([2, 3, 4])
  for (const { bytes } of lists) expect(bytes).toEqual(lists[0]?.bytes)
  expect(times(unwrapUnknown(lists[0]?.bytes ?? Buffer.alloc(0)).raw, Buffer.from("x".repeat(20_000)))).toBe(1)
})

test("the noted length is that of the requested version", async () => {
  await store("large", "x".repeat(20_000))
  texts()
  const longer: KindHandle = {
    ...handle,
    kind: { ...handle.kind },
    apiVersion: "v1longer",
    compact: { ...handle.compact, encode: (object) => Buffer.concat([handle.compact.encode(object), unknownField]) },
  }
  for (const [asked, unknown] of [
    [handle, 0],
    [longer, 4],
    [handle, 0],
  ] as const) {
    const { first, pieces } = begun(undefined, asked)
    expect(times(unwrapUnknown(Buffer.concat([...first, ...pieces])).raw, unknownField)).toBe(unknown)
  }
})
