/** Objects whose own maps have tens of thousands of entries, in pieces: what walks them goes through one piece at a time. */
import { isObject, type JsonObject } from "../../kit/json.ts"
import { setField } from "../../kit/json-text.ts"
import type { TypeShape } from "../../kit/shape.ts"
import { turnValues } from "../../limits.ts"
import { type FieldSet, isEmptySet, nodeAt } from "./field-set.ts"
import { rootNode, type TypedNode, valueAt } from "./typed-node.ts"

const noNames: readonly string[] = []
const ownMaps = new WeakMap<TypeShape, readonly string[]>()

/** The fields of a kind that are maps and owned entry by entry. */
function mapsOf(shape: TypeShape): readonly string[] {
  let names = ownMaps.get(shape)
  if (names === undefined) {
    const fields = rootNode(shape).map?.fields() ?? new Map<string, TypedNode>()
    names = [...fields]
      .filter(([, { map }]) => map?.atomic === false && map.values !== undefined && map.fields().size === 0)
      .map(([name]) => name)
    ownMaps.set(shape, names)
  }
  return names
}

/**
 * The maps of an object that are long in one of its states at least, and in every state objects or not there. Called for every object; almost all
 * have none.
 */
export function longMaps(shape: TypeShape, states: readonly JsonObject[], pieceEntries: number = turnValues): readonly string[] {
  const maps = mapsOf(shape)
  return maps.length === 0 || !maps.some((name) => isLong(states, name, pieceEntries))
    ? noNames
    : maps.filter((name) => isLong(states, name, pieceEntries))
}

function isLong(states: readonly JsonObject[], name: string, pieceEntries: number): boolean {
  let long = false
  for (const state of states) {
    const value = valueAt(state, name)
    if (value === undefined) continue
    if (!isObject(value)) return false
    long ||= Object.keys(value).length > pieceEntries
  }
  return long
}

/** The object without some of its fields. */
export function withoutFields(object: JsonObject, names: readonly string[]): JsonObject {
  const rest: JsonObject = {}
  for (const name in object) if (!names.includes(name)) setField(rest, name, object[name] ?? null)
  return rest
}

/** A state of a piece: an object that has nothing but some entries of one map, or nothing where the map is not there. */
type Piece = readonly JsonObject[]

/** The same entries of one map in all states, so many at a time: those of the last state first, then those that only others have. */
export function* piecesOf(states: readonly JsonObject[], name: string, pieceEntries: number): Generator<Piece> {
  const maps = states.map((state) => mapAt(state, name))
  const seen: JsonObject[] = []
  for (const map of maps.toReversed()) {
    if (map === undefined) continue
    const names = Object.keys(map).filter((key) => !seen.some((other) => valueAt(other, key) !== undefined))
    for (let at = 0; at < names.length; at += pieceEntries) {
      const keys = names.slice(at, at + pieceEntries)
      yield maps.map((one) => (one === undefined ? {} : { [name]: entriesOf(one, keys) }))
    }
    seen.push(map)
  }
}

function mapAt(state: JsonObject, name: string): JsonObject | undefined {
  const map = valueAt(state, name)
  return isObject(map) ? map : undefined
}

function entriesOf(map: JsonObject, keys: readonly string[]): JsonObject {
  const entries: JsonObject = {}
  for (const key of keys) {
    const value = valueAt(map, key)
    if (value !== undefined) setField(entries, key, value)
  }
  return entries
}

/** Adds the members of a piece's set, at and below one element, to those of the whole. May change `into`, which nobody else holds. */
export function addMembers(into: FieldSet, piece: FieldSet, element: string): void {
  if (isEmptySet(piece)) return
  const found = nodeAt(piece, element)
  if (found === undefined) return
  const known = nodeAt(into, element)
  if (known === undefined) into[element] = { ...found }
  else for (const inner in found) known[inner] = found[inner]
}
