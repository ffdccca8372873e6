/** Parses the text of a `type`: a scalar, `[]T`, `map<T>`, `wrapped<[]T>`, or the name of a type. */
import { type Scalar, scalarNames } from "../../runtime/schema/shape.ts"
import type { TypeRefModel } from "../../model/model.ts"
import { findType, type TypeDeclaration, typeName } from "./declare.ts"
import { typeHabit } from "./habits.ts"

/** Limit for nested lists and maps in one type text. */
const maxNesting = 8

/** Called for each field. When the text does not name a type, reports at `start` and returns undefined. */
export function parseTypeText(
  text: string,
  from: TypeDeclaration,
  types: ReadonlyMap<string, TypeDeclaration>,
  start: number,
  depth = 0,
): TypeRefModel | undefined {
  const inner = (innerText: string): TypeRefModel | undefined => parseTypeText(innerText, from, types, start, depth + 1)
  if (depth > maxNesting) return report(text, from, start)
  if (/^\[\]\s/.test(text)) return report(text, from, start, typeHabit(text))
  if (text.startsWith("[]")) {
    const list = inner(text.slice(2))
    return list && { list }
  }
  const generic = /^(map|wrapped)<([^,]+)>$/.exec(text)
  if (generic?.[1] === "map" && generic[2] !== undefined) {
    const map = inner(generic[2])
    return map && { map }
  }
  if (generic?.[1] === "wrapped" && generic[2]?.startsWith("[]") === true) {
    const wrappedList = inner(generic[2].slice(2))
    return wrappedList && { wrappedList }
  }
  const scalar = scalarNames.find((name) => name === text)
  if (scalar !== undefined) return { scalar }
  const habit = types.has(typeName(from.group, from.version, text)) ? undefined : typeHabit(text)
  if (habit !== undefined) return report(text, from, start, habit)
  if (!/^[A-Za-z0-9.-]+$/.test(text)) return report(text, from, start)
  const ref = findType(types, from, text, start)
  return ref && (ref.block.word("union", [true]) === true ? { union: ref.name } : { ref: ref.name })
}

function report(text: string, from: TypeDeclaration, start: number, habit?: { expected: string; nearest?: string }): undefined {
  const known = `one of ${scalarNames.join(", ")}, "[]T", map<T>, "wrapped<[]T>" or the name of a type`
  from.source.report(
    start,
    habit === undefined ? { found: `the type "${text}"`, expected: known } : { ...habit, found: `unknown type "${text}"` },
  )
  return undefined
}

/** A type as an author writes it, for diagnostics. */
export function shownType(type: TypeRefModel): string {
  if ("scalar" in type) return type.scalar
  if ("list" in type) return `[]${shownType(type.list)}`
  if ("map" in type) return `map<${shownType(type.map)}>`
  if ("wrappedList" in type) return `wrapped<[]${shownType(type.wrappedList)}>`
  return "union" in type ? type.union : type.ref
}

/** Item type of a list, plain or wrapped. */
export function itemType(type: TypeRefModel): TypeRefModel | undefined {
  if ("list" in type) return type.list
  return "wrappedList" in type ? type.wrappedList : undefined
}

/** Called by the checks of which keyword fits which type. */
export function isScalar(type: TypeRefModel, ...scalars: readonly Scalar[]): boolean {
  return "scalar" in type && (scalars.length === 0 || scalars.includes(type.scalar))
}
