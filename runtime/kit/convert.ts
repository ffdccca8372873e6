/** What generated conversions between two versions of a kind lean on. Objects keep neutral names here. */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "./json.ts"

/** One field that has another place in the other version; dotted paths from the root. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** The form of an object that another version has: `moves` applied to a copy, and that version's name. Called per read and write of a version that is not the stored one. */
export function converted(object: ApiObject, apiVersion: string, kind: string, moves: readonly Move[]): ApiObject {
  const target: ApiObject = { ...object, apiVersion, kind }
  const values = moves.map(({ from }) => valueAt(object, from.split(".")))
  for (const { from } of moves) remove(target, from.split("."))
  for (const [index, { to }] of moves.entries()) {
    const value = values[index]
    if (value !== undefined) place(target, to.split("."), value)
  }
  return target
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const name of path) value = isObject(value) ? value[name] : undefined
  return value
}

/** Removes the value at a path, copying what is changed on the way. */
function remove(target: JsonObject, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return
  const value = target[name]
  if (rest.length === 0) delete target[name]
  else if (isObject(value)) {
    const copy = { ...value }
    target[name] = copy
    remove(copy, rest)
  }
}

/** Puts a value at a path, copying or making the parents. */
function place(target: JsonObject, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (name === undefined) return
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const below = target[name]
  const copy = isObject(below) ? { ...below } : {}
  target[name] = copy
  place(copy, rest, value)
}
