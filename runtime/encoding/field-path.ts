/**
 * Reads, writes and names fields of decoded objects. Dotted paths (`spec.replicas`) come from schemas and never contain
 * keys with dots; failure paths (`metadata.labels[a.b]`) are only for display. Names such as `__proto__` and
 * `constructor` are ordinary keys: nothing here reads prototypes.
 */
import { messageCharactersMax } from "../base/limits.ts"
import { setField } from "./json/text.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { forceDictionaryMode, manyFields } from "./json/many-fields.ts"

/** Reads a field by name; undefined when it is absent. Called where the name comes from a client or a schema. */
export function ownField(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Reads the value at a dotted path; undefined when it or a parent is absent. The empty path is the object. */
export function getPath(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const name of steps(path)) {
    if (!isObject(value)) return undefined
    value = ownField(value, name)
  }
  return value
}

/**
 * Sets `value` at a dotted path, in place. Creates the objects on the way, replacing values that are not objects.
 * `undefined` removes the field instead and creates nothing.
 */
export function setPath(object: JsonObject, path: string, value: JsonValue | undefined): void {
  if (value === undefined) {
    deletePath(object, path)
    return
  }
  const names = steps(path)
  const last = names.pop()
  if (last === undefined) throw new Error("setPath needs a path")
  let parent = object
  for (const name of names) {
    const next = ownField(parent, name)
    if (isObject(next)) parent = next
    else {
      const made: JsonObject = {}
      setField(parent, name, made)
      parent = made
    }
  }
  setField(parent, last, value)
}

/** Removes the field at a dotted path, in place; returns whether it existed. */
export function deletePath(object: JsonObject, path: string): boolean {
  const names = steps(path)
  const last = names.pop()
  const parent = getPath(object, names.join("."))
  if (last === undefined || !isObject(parent) || !Object.hasOwn(parent, last)) return false
  return delete parent[last]
}

/**
 * Copies the value at a dotted path from `from` to `to`, absence included. The value is shared, not cloned: the caller
 * owns both objects. Called for the fields that an update or a sub-resource keeps from the stored object.
 */
export function copyPath(from: JsonObject, to: JsonObject, path: string): void {
  setPath(to, path, getPath(from, path))
}

function steps(path: string): string[] {
  return path === "" ? [] : path.split(".")
}

/** Whether two decoded values are the same JSON. The order of fields does not matter; absent equals undefined. */
export function deepEqual(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true
  if (typeof left !== "object" || left === null || typeof right !== "object" || right === null)
    return isNumeric(left) && isNumeric(right) && BigInt(left) === BigInt(right)
  if (!Array.isArray(left)) return !Array.isArray(right) && sameFields(left, right)
  if (!Array.isArray(right) || left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (!deepEqual(left[index], right[index])) return false
  return true
}

/** Integers may be number or bigint. */
function isNumeric(value: JsonValue | undefined): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))
}

function sameFields(left: JsonObject, right: JsonObject): boolean {
  let unmatched = 0
  for (const name in left) {
    const value = left[name]
    if (value === undefined) continue
    // Any other inherited name holds a function, which equals nothing.
    const other = name === "__proto__" ? ownField(right, name) : right[name]
    if (other === undefined || !deepEqual(value, other)) return false
    unmatched++
  }
  for (const name in right) if (right[name] !== undefined) unmatched--
  return unmatched === 0
}

/** Returns a deep copy. Called before changing a decoded object that is shared. */
export function deepClone<Value extends JsonValue>(value: Value): Value
export function deepClone(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => deepClone(item))
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  const names = Object.keys(value)
  if (names.length >= manyFields) forceDictionaryMode(copy)
  for (const name of names) {
    const field = value[name]
    if (field !== undefined) setField(copy, name, deepClone(field))
  }
  return copy
}

/**
 * Copies the object with its fields in the same order, without undefined ones. For many fields this is several times as
 * fast as a spread.
 */
export function copyFields(object: JsonObject, names: readonly string[] = Object.keys(object)): JsonObject {
  if (names.length < manyFields) return { ...object }
  const copy: JsonObject = {}
  forceDictionaryMode(copy)
  for (const name of names) {
    const field = object[name]
    if (field !== undefined) setField(copy, name, field)
  }
  return copy
}

/**
 * A path as failures show it. Extending it is cheap: the text is built only when a failure needs it.
 * `root.child("spec").child("ports").index(0).toString()` is `spec.ports[0]`.
 */
export class FieldPath {
  private constructor(
    private readonly parent: FieldPath | undefined,
    private readonly step: string,
  ) {}

  /** The whole object, shown as the empty string. */
  static readonly root = new FieldPath(undefined, "")

  /** Parses a path: `metadata`, `spec.template`. */
  static of(text: string): FieldPath {
    return text === "" ? FieldPath.root : new FieldPath(FieldPath.root, text)
  }

  /** A named field. */
  child(name: string): FieldPath {
    return new FieldPath(this, this.parent === undefined ? name : `.${name}`)
  }

  /** A list item. */
  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`)
  }

  /** A map entry. */
  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`)
  }

  /** Cut after `messageCharactersMax` characters: keys come from the client and may be as long as its object. */
  toString(): string {
    const steps: string[] = []
    let most = messageCharactersMax
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.parent) steps.push(path.step)
    let text = ""
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      if (step.length > most) return `${text}${step.slice(0, most)}...`
      text += step
      most -= step.length
    }
    return text
  }
}
