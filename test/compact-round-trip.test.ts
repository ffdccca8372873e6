/**
 * The compact encoding of every kind: a round trip loses nothing, whatever the object contains, and the field numbers
 * equal the shapes' numbers.
 */
import fc from "fast-check"
import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"
import { kinds } from "../generated/index.ts"
import { createProtobufCodec } from "../runtime/encoding/protobuf/codec.ts"
import { stringify } from "../runtime/encoding/json/text.ts"
import { normalize } from "../runtime/encoding/normalize.ts"
import type { TypeRef, TypeShape } from "../runtime/schema/shape.ts"
import { arbitraryObject } from "./support/arbitrary-objects.ts"

const runsOfKind = Number(process.env.COMPACT_RUNS ?? 60)
const runsOfType = Math.ceil(runsOfKind / 6)

// Other kinds are stored and served as JSON only.
for (const kind of kinds.filter(({ storage }) => storage.format !== "json")) {
  describe(`${kind.group === "" ? "core" : kind.group}/${kind.version} ${kind.kind}`, { timeout: 120_000 }, () => {
    it("survives a round trip", async () => {
      const { shape } = await kind.load()
      expectRoundTrips(shape, runsOfKind)
    })

    it("all its types survive it, with every field", async () => {
      const { shape } = await kind.load()
      for (const type of newTypes(shape)) {
        expectRoundTrips(type, runsOfType)
        for (const field of type.fields) expectRoundTrips({ ...type, fields: [field] }, 2)
      }
    })

    it("has a unique number for every field of its shapes", async () => {
      const { shape } = await kind.load()
      for (const { name, fields } of typesOf(shape)) {
        const stated = fields.flatMap((field) => field.number ?? [])
        // The envelope stores these two.
        const left = fields.filter((field) => field.number === undefined && field.name !== "kind" && field.name !== "apiVersion")
        expect(left, name).toEqual([])
        expect(new Set(stated).size, name).toBe(stated.length)
      }
    })
  })
}

/**
 * Expects that JSON → normal → compact → JSON → normal gives the same text. A shape with fewer fields represents
 * documents with only these fields.
 */
function expectRoundTrips(shape: TypeShape, numRuns: number): void {
  const codec = createProtobufCodec(shape)
  const property = fc.property(arbitraryObject(shape), (document) => {
    const { object } = normalize(shape, document, { typeMeta: false })
    const bytes = codec.encode(object)
    const { object: back } = normalize(shape, codec.decode(bytes), { typeMeta: false })
    if (stringify(back) !== stringify(object)) throw new Error(`${shape.name}: ${stringify(object)} came back as ${stringify(back)}`)
    for (const number of numbersIn(bytes)) {
      if (!shape.fields.some((field) => field.number === number)) throw new Error(`${shape.name} has no field of number ${number}`)
    }
  })
  fc.assert(property, { numRuns })
}

/** The field numbers of a message, read from the bytes without a shape. */
function numbersIn(bytes: Uint8Array): Set<number> {
  const reader = protobuf.Reader.create(bytes)
  const numbers = new Set<number>()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    numbers.add(tag >>> 3)
    reader.skipType(tag & 7)
  }
  return numbers
}

/** A type and all types that it uses. */
function typesOf(shape: TypeShape, known = new Set<TypeShape>()): Set<TypeShape> {
  if (known.has(shape)) return known
  known.add(shape)
  for (const { type } of shape.fields) {
    const inner = objectIn(type)
    if (inner !== undefined) typesOf(inner, known)
  }
  return known
}

const tested = new Set<string>()

/** The types that no earlier kind has used. */
function newTypes(shape: TypeShape): TypeShape[] {
  const types = [...typesOf(shape)].filter(({ name }) => !tested.has(name))
  for (const { name } of types) tested.add(name)
  return types
}

function objectIn(type: TypeRef): TypeShape | undefined {
  if ("ref" in type) return type.ref()
  if ("union" in type) return type.union()
  if ("list" in type) return objectIn(type.list)
  if ("map" in type) return objectIn(type.map)
  return "wrappedList" in type ? objectIn(type.wrappedList) : undefined
}
