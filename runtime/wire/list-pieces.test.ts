import { describe, expect, it } from "vitest"
import { createCompactCodec, unwrapUnknown } from "../kit/compact.ts"
import { compactDescriptor } from "../kit/compact-descriptor.ts"
import type { JsonObject } from "../kit/json.ts"
import type { BytePlace } from "../kit/shared-bytes.ts"
import type { TypeShape } from "../kit/shape.ts"
import { compactListPieces, type JsonList, jsonListPieces, type Piece, prettyListPieces, yamlListPieces } from "./list-pieces.ts"
import { listMetaShape } from "./status.ts"
import { parseYaml } from "./yaml.ts"

const text = (pieces: Iterable<Uint8Array | Piece>) => [...mapped(pieces)].join("")
function* mapped(pieces: Iterable<Uint8Array | Piece>): Generator<string> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield Buffer.from(piece).toString()
    else yield Buffer.concat([piece.before, piece.bytes.subarray(piece.start, piece.end)]).toString()
  }
}
const itemType = { kind: "Kettle", apiVersion: "test/v1" }
const item = (name: string) => Buffer.from(JSON.stringify({ ...itemType, metadata: { name } }))
const list = (names: readonly string[], more: Partial<JsonList> = {}): JsonList => ({
  kind: "KettleList",
  apiVersion: "test/v1",
  metadata: { resourceVersion: "5" },
  items: names.map(item),
  itemType,
  ...more,
})
const expected = (names: readonly string[]) => ({
  kind: "KettleList",
  apiVersion: "test/v1",
  metadata: { resourceVersion: "5" },
  items: names.map((name) => ({ metadata: { name } })),
})

describe("lists in JSON", () => {
  it("leave out kind and apiVersion of items without parsing them", () => {
    for (const names of [[], ["a"], ["a", "b", "c"]]) expect(text(jsonListPieces(list(names)))).toBe(`${JSON.stringify(expected(names))}\n`)
  })

  it("write items of another form whole", () => {
    expect(text(jsonListPieces(list(["a"], { itemType: { kind: "Pot", apiVersion: "test/v1" } })))).toContain('"items":[{"kind":"Kettle"')
  })

  it("take items from where they are, with other bytes around", () => {
    const names = ["a", "b", "c"]
    const memory = Buffer.concat(names.map(item))
    const { length } = item("a")
    const places = names.map((_, index) => ({
      jsonPlace: (place: BytePlace) => Object.assign(place, { bytes: memory, start: index * length, end: (index + 1) * length }),
    }))
    expect(text(jsonListPieces(list(names, { places })))).toBe(`${JSON.stringify(expected(names))}\n`)
    expect(text(jsonListPieces(list([], { places: [] })))).toBe(`${JSON.stringify(expected([]))}\n`)
  })

  it("let go of items that nobody wants any more", () => {
    let returned = 0
    function* items(): Generator<Buffer> {
      try {
        yield* [item("a"), item("b")]
      } finally {
        returned++
      }
    }
    for (const taken of [1, 2, 3, 4, 5]) {
      const pieces = jsonListPieces(list([], { items: items() }))
      for (let index = 0; index < taken; index++) pieces.next()
      pieces.return?.()
      expect(pieces.next().done).toBe(true)
    }
    expect(returned).toBe(5)
  })

  it("may carry rows instead, null when there are none", () => {
    const rows: Partial<JsonList> = { itemsField: "rows", emptyItems: "null", fields: { columnDefinitions: [] } }
    expect(text(jsonListPieces(list([], rows)))).toBe(
      '{"kind":"KettleList","apiVersion":"test/v1","metadata":{"resourceVersion":"5"},"columnDefinitions":[],"rows":null}\n',
    )
  })

  it("are laid out as one document", () => {
    for (const names of [[], ["a"], ["a", "b"]])
      expect(text(prettyListPieces(list(names)))).toBe(JSON.stringify(expected(names), undefined, 2))
  })
})

describe("lists in YAML", () => {
  it("read back as the same list, fields sorted", () => {
    for (const names of [[], ["a"], ["a", "b"]]) {
      const yaml = text(yamlListPieces(list(names)))
      expect(parseYaml(yaml).value).toEqual(expected(names))
      expect(
        yaml
          .split("\n")
          .filter((line) => /^[a-z]/i.test(line))
          .map((line) => line.split(":")[0]),
      ).toEqual(["apiVersion", "items", "kind", "metadata"])
    }
  })
})

describe("lists in the compact encoding", () => {
  const kettle: TypeShape = { name: "test.v1.Kettle", fields: [{ name: "data", type: { map: { scalar: "string" } }, number: 1 }] }
  const kettleList: TypeShape = {
    name: "test.v1.KettleList",
    fields: [
      { name: "metadata", type: { ref: () => listMetaShape }, number: 1 },
      { name: "items", type: { list: { ref: () => kettle } }, number: 2 },
    ],
  }

  it("are what encoding the whole list gives, whatever the lengths", () => {
    const codec = createCompactCodec(compactDescriptor(kettle), kettle)
    const whole = createCompactCodec(compactDescriptor(kettleList), kettleList)
    const objects: JsonObject[] = [0, 1, 120, 200, 20_000, 3_000_000].map((length) => ({ data: { k: "x".repeat(length) } }))
    const metadata = { resourceVersion: "5", remainingItemCount: 3 }
    const bytes = Buffer.concat([
      ...compactListPieces({ kind: "KettleList", apiVersion: "test/v1", metadata, items: objects.map((object) => codec.encode(object)) }),
    ])
    const { kind, apiVersion, raw } = unwrapUnknown(bytes)
    expect({ kind, apiVersion }).toEqual({ kind: "KettleList", apiVersion: "test/v1" })
    expect(whole.encode({ metadata, items: objects }).equals(raw)).toBe(true)
  })

  it("are what the reference answers when empty", () => {
    const bytes = Buffer.concat([
      ...compactListPieces({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "10" }, items: [] }),
    ])
    expect(bytes.toString("hex")).toBe("6b3873000a0d0a0276311207506f644c697374120a0a080a00120231301a001a002200")
  })
})
