/** Small operations on JSON values that the recorded cases and the comparison need. */
import { isDeepStrictEqual } from "node:util"
import { isObject, type JsonValue } from "../../runtime/base/json.ts"

export const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b)

export const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value)

/** The field of an object; undefined for anything else. */
export function fieldOf(value: unknown, ...names: readonly string[]): JsonValue | undefined {
  let at: unknown = value
  for (const name of names) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  return at as JsonValue | undefined // A value within a JSON value.
}

/** A difference of two values, by path: `.spec.containers[0].name`. Lists of different lengths differ as a whole. */
export interface Leaf {
  readonly path: string
  readonly real: JsonValue | undefined
  readonly ours: JsonValue | undefined
}

export function leaves(real: JsonValue | undefined, ours: JsonValue | undefined, path = ""): Leaf[] {
  if (same(real, ours)) return []
  if (isObject(real) && isObject(ours)) {
    const names = [...new Set([...Object.keys(real), ...Object.keys(ours)])].sort()
    return names.flatMap((name) => leaves(fieldOf(real, name), fieldOf(ours, name), `${path}.${name}`))
  }
  if (isList(real) && isList(ours) && real.length === ours.length)
    return real.flatMap((item, index) => leaves(item, ours[index], `${path}[${index}]`))
  return [{ path, real, ours }]
}

/** The text of a value with the fields of each object in order, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** A copy of the list in the order of the items' texts. */
export function ordered<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, text: canonical(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ item }) => item)
}

/** The beginning of a value's text, for people. */
export function shortText(value: unknown, characters = 300): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "none")
  return text.length <= characters ? text : `${text.slice(0, characters)}…`
}
