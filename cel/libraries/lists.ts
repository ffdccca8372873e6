/** The lists library: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
import {
  boolType,
  bytesType,
  type CelType,
  compare,
  Double,
  Duration,
  doubleType,
  durationType,
  equal,
  errorOf,
  type FunctionDeclaration,
  intType,
  isError,
  type Library,
  type ListValue,
  listType,
  type Overload,
  paramType,
  type Result,
  stringType,
  timestampType,
  Uint,
  uintType,
  type Value,
} from "../index.ts"
import { add } from "../standard/arithmetic.ts"
import { costOf } from "./costs.ts"
import { elementsOf } from "./narrow.ts"

type NamedType = readonly [name: string, type: CelType]

const ordered: readonly NamedType[] = [
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["bool", boolType],
  ["duration", durationType],
  ["timestamp", timestampType],
  ["string", stringType],
  ["bytes", bytesType],
]

const summed: readonly (readonly [name: string, type: CelType, zero: Value])[] = [
  ["int", intType, 0],
  ["uint", uintType, new Uint(0)],
  ["double", doubleType, new Double(0)],
  ["duration", durationType, new Duration(0n)],
]

/** The order of two values; 0 for those that have none, such as NaN. */
function order(one: Value, other: Value): number {
  const result = compare(one, other)
  return isError(result) ? 0 : result
}

function isSorted(list: ListValue): boolean {
  const values = list.toArray()
  return values.every((value, index) => index === 0 || order(values[index - 1] ?? null, value) <= 0)
}

/** The element that comes first when `sign` is 1, last when it is -1. */
function extreme(list: ListValue, name: string, sign: number): Result {
  let found: Value | undefined
  for (const value of list.toArray()) {
    if (found === undefined || order(found, value) === sign) found = value
  }
  return found ?? (list.size > 0 ? null : errorOf(`${name} called on empty list`))
}

function sum(list: ListValue, zero: Value): Result {
  let total: Result = zero
  for (const value of list.toArray()) {
    total = add(total, value)
    if (isError(total)) return total
  }
  return total
}

function indexOf(list: ListValue, value: Value): number {
  return list.toArray().findIndex((element) => equal(element, value) === true)
}

function lastIndexOf(list: ListValue, value: Value): number {
  return list.toArray().findLastIndex((element) => equal(element, value) === true)
}

const element = paramType("A")

function searching(name: string, id: string, search: (list: ListValue, value: Value) => number): FunctionDeclaration {
  return {
    name,
    ...costOf(name),
    overloads: [
      {
        id,
        member: true,
        args: [listType(element), element],
        result: intType,
        impl: (list, value = null) => search(elementsOf(list), value),
      },
    ],
  }
}

/** `list.min()` or `list.max()`. */
function choosing(name: string, sign: number): FunctionDeclaration {
  return { name, ...costOf(name), overloads: ordered.map(overload) }

  function overload([typeName, type]: NamedType): Overload {
    return {
      id: `list_${typeName}_${name}_${typeName}`,
      member: true,
      args: [listType(type)],
      result: type,
      impl: (list) => extreme(elementsOf(list), name, sign),
    }
  }
}

export const listsLibrary: Library = {
  name: "k8s.lists",
  functions: [
    {
      name: "isSorted",
      ...costOf("isSorted"),
      overloads: ordered.map(([name, type]) => ({
        id: `list_${name}_is_sorted_bool`,
        member: true,
        args: [listType(type)],
        result: boolType,
        impl: (list) => isSorted(elementsOf(list)),
      })),
    },
    {
      name: "sum",
      ...costOf("sum"),
      overloads: summed.map(([name, type, zero]) => ({
        id: `list_${name}_sum_${name}`,
        member: true,
        args: [listType(type)],
        result: type,
        impl: (list) => sum(elementsOf(list), zero),
      })),
    },
    choosing("min", 1),
    choosing("max", -1),
    searching("indexOf", "list_a_index_of_int", indexOf),
    searching("lastIndexOf", "list_a_last_index_of_int", lastIndexOf),
  ],
}
