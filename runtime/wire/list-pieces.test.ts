import { describe, expect, it } from "vitest"
import { turnsIn, withoutTurns } from "../../test/support/pieces.ts"
import { type ByteRange, setWholeRange } from "../base/shared-bytes.ts"
import { turnWorkMax } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"
import { type JsonList, jsonListPieces, type Piece, type ItemRun, prettyListPieces, yamlListPieces } from "./list-pieces.ts"
import { parseYaml } from "./yaml.ts"

const text = (pieces: Iterable<Uint8Array | Piece | Turns>) => [...mapped(pieces)].join("")
function* mapped(pieces: Iterable<Uint8Array | Piece | Turns>): Generator<string> {
  for (const piece of withoutTurns(pieces)) {
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
  turns: new Turns(),
  ...more,
})
const asJson = { hasJson: true, sizeBytes: 0 }
const expected = (names: readonly string[]) => ({
  kind: "KettleList",
  apiVersion: "test/v1",
  metadata: { resourceVersion: "5" },
  items: names.map((name) => ({ metadata: { name } })),
})

describe("lists in JSON", () => {
  it("omit kind and apiVersion of items without parsing them", () => {
    for (const names of [[], ["a"], ["a", "b", "c"]]) expect(text(jsonListPieces(list(names)))).toBe(`${JSON.stringify(expected(names))}\n`)
  })

  it("write items of another form whole", () => {
    expect(text(jsonListPieces(list(["a"], { itemType: { kind: "Pot", apiVersion: "test/v1" } })))).toContain('"items":[{"kind":"Kettle"')
  })

  it("copy items from where they are, with other bytes around", () => {
    const names = ["a", "b", "c"]
    const memory = Buffer.concat(names.map(item))
    const { length } = item("a")
    const places = names.map((_, index) => ({
      ...asJson,
      jsonPlace: (place: ByteRange) => Object.assign(place, { bytes: memory, start: index * length, end: (index + 1) * length }),
    }))
    expect(text(jsonListPieces(list(names, { places })))).toBe(`${JSON.stringify(expected(names))}\n`)
    expect(text(jsonListPieces(list([], { places: [] })))).toBe(`${JSON.stringify(expected([]))}\n`)
  })

  it("copy runs whole where they are cached so, and other runs item by item", () => {
    const names = ["a", "b", "c", "d", "e", "f"]
    const placed = names.map((name) => ({ ...asJson, jsonPlace: (place: ByteRange) => setWholeRange(place, item(name)) }))
    const made = new Map<number, string>()
    const run = (start: number, end: number, whole: boolean): ItemRun => ({
      objects: placed,
      start,
      end,
      encoded(_form, make) {
        const piece = make()
        made.set(start, piece.toString())
        return whole ? piece : undefined
      },
    })
    for (const kept of [0b000, 0b001, 0b010, 0b100, 0b101, 0b111, 0b111]) {
      const runs = [run(0, 2, (kept & 1) > 0), run(2, 3, (kept & 2) > 0), run(3, 6, (kept & 4) > 0)]
      expect(text(jsonListPieces(list([], { places: placed, runs })))).toBe(`${JSON.stringify(expected(names))}\n`)
    }
    expect(made.get(2)).toBe(',{"metadata":{"name":"c"}}')
    expect(text(jsonListPieces(list([], { places: [], runs: [] })))).toBe(`${JSON.stringify(expected([]))}\n`)
  })

  it("yield between items that are encoded, decoded, indented or written as YAML", () => {
    const [count, turns] = [1000, new Turns()]
    function* made(work: number): Generator<Buffer> {
      for (let index = 0; index < count; index++) {
        turns.isOver(work)
        yield item("a")
      }
    }
    const perTurn = 100
    const work = turnWorkMax / perTurn
    expect(turnsIn(jsonListPieces(list([], { turns, items: made(work) }))).turns).toBe(count / perTurn)
    expect(turnsIn(jsonListPieces(list([], { turns, items: made(0) }))).turns).toBe(0)
    for (const pieces of [prettyListPieces, yamlListPieces]) {
      expect(turnsIn(pieces(list([], { turns, items: made(work) }))).turns).toBeGreaterThanOrEqual(count / perTurn)
      const large = Buffer.from(JSON.stringify({ ...itemType, data: "x".repeat(100_000) }))
      expect(turnsIn(pieces(list([], { turns, items: Array.from({ length: 50 }, () => large) }))).turns).toBeGreaterThan(5)
    }
    const stored = Array.from({ length: count }, () => ({
      hasJson: false,
      sizeBytes: 3000,
      jsonPlace: (place: ByteRange) => setWholeRange(place, item("a")),
    }))
    const run: ItemRun = { objects: stored, start: 0, end: count, encoded: () => undefined }
    for (const places of [{ places: stored }, { places: stored, runs: [run] }]) {
      const { mostAtOnce, turns: waits } = turnsIn(jsonListPieces(list([], { turns: new Turns(), ...places })))
      expect(waits).toBeGreaterThan(5)
      expect(mostAtOnce).toBeLessThan(150)
    }
  })

  it("close their items when the reader stops", () => {
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

  it("may hold rows instead, null when there are none", () => {
    const rows: Partial<JsonList> = { itemsField: "rows", emptyItems: "null", fields: { columnDefinitions: [] } }
    expect(text(jsonListPieces(list([], rows)))).toBe(
      '{"kind":"KettleList","apiVersion":"test/v1","metadata":{"resourceVersion":"5"},"columnDefinitions":[],"rows":null}\n',
    )
  })

  it("are indented as one document", () => {
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
